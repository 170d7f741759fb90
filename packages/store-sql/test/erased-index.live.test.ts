import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { eraseSubject, inMemoryStore, records, sourceText, type SearchIndex } from '@keepsake/core'
import { testEmbedder } from '@keepsake/store-testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Client } from 'pg'
import { postgresSearchIndex } from '../src/postgres.ts'
import { sqliteSearchIndex } from '../src/sqlite.ts'
import { serverUrl } from './server.ts'
import { tempFolder } from './temp-folder.ts'

/** An index, and all that its tables hold as text. */
interface Opened {
  index: SearchIndex
  dump: () => Promise<string>
}

async function onSqlite(): Promise<Opened> {
  const path = join(tempFolder(), 'search.db')
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  const tables = ['keepsake_search', 'keepsake_search_scopes', 'keepsake_search_words']
  return {
    index: sqliteSearchIndex({ path }),
    dump: async () => JSON.stringify(tables.map((table) => database.prepare(`SELECT * FROM ${table}`).all())),
  }
}

async function onPostgres(url: string): Promise<Opened> {
  const table = `erased_${randomUUID().slice(0, 8)}`
  const client = new Client({ connectionString: url })
  await client.connect()
  const index = postgresSearchIndex({ url, table })
  onTestFinished(async () => {
    await index.provision({ down: true })
    await index.close()
    await client.end()
  })
  const tables = [table, `${table}_scopes`]
  return {
    index,
    async dump() {
      const rows = await Promise.all(tables.map((name) => client.query(`SELECT t::text FROM "${name}" t`)))
      return JSON.stringify(rows.map((result) => result.rows as unknown))
    },
  }
}

const url = await serverUrl('postgres')
const kinds: [string, () => Promise<Opened>][] = [['SQLite', onSqlite]]
if (url !== undefined) kinds.push(['PostgreSQL', () => onPostgres(url)])

describe.each(kinds)('an index in %s', (_, open) => {
  it('holds nothing of a person that was erased, nor of what was derived from them, and all of others', async () => {
    const { index, dump } = await open()
    await index.provision()
    const store = inMemoryStore()
    const of = (owner: string) => records<string>(store, owner, { index: { search: index } })
    const [zoe, bob, team] = [of('zoe'), of('bob'), of('team')]
    await zoe.putMany(Array.from({ length: 700 }, (__, i) => ({ key: ['m', `zoe-${i}`], value: `balloon ${i}` })))
    await zoe.delete(['m', 'zoe-1'])
    await team.put(['about', 'zoe'], 'she likes kites', { subject: 'zoe' })
    await team.put(['plan'], 'a picnic')
    await bob.put(['guess'], 'perhaps umbrellas', { sources: [sourceText({ owner: 'zoe', record: ['m', 'zoe-2'] })] })
    await bob.put(['likes'], 'sandwiches')
    for (const word of ['balloon', 'kite', 'umbrella', 'sandwich', 'picnic']) expect(await dump()).toContain(word)

    await eraseSubject(store, 'zoe', { graceMs: 0, indexes: [index] })
    const left = await dump()
    for (const word of ['zoe', 'balloon', 'kite', 'umbrella']) expect(left).not.toContain(word)
    for (const word of ['sandwich', 'picnic']) expect(left).toContain(word)
    const found = await bob.search([], 'sandwiches')
    expect(found.items.map(({ key }) => key)).toEqual([['likes']])
  })
})

it('an index in SQLite holds no vector of a person that was erased, and those of others', async () => {
  const path = join(tempFolder(), 'search.db')
  const index = sqliteSearchIndex({ path })
  await index.provision()
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  const embed = testEmbedder({
    meanings: [
      ['balloon', 'airship'],
      ['sandwich', 'lunch'],
    ],
  })
  const store = inMemoryStore()
  const of = (owner: string) => records<string>(store, owner, { index: { search: index, embed, dims: embed.dims } })
  const vectors = () => database.prepare('SELECT hex(vectors) AS v FROM keepsake_search ORDER BY v').all()
  await of('bob').put(['likes'], 'sandwich')
  const before = vectors()
  expect(before).toEqual([{ v: expect.stringMatching(/^[0-9A-F]{48}$/) }])
  await of('zoe').putMany([0, 1, 2].map((i) => ({ key: ['m', `${i}`], value: 'balloon' })))
  await of('bob').put(['guess'], 'airship', { sources: [sourceText({ owner: 'zoe', record: ['m', '1'] })] })
  expect(vectors()).toHaveLength(5)
  await eraseSubject(store, 'zoe', { graceMs: 0, indexes: [index] })
  expect(vectors()).toEqual(before)
  expect((await of('bob').search([], 'lunch')).items.map(({ key }) => key)).toEqual([['likes']])
})
