import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { records } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { postgresSearchIndex } from '../src/postgres.ts'
import { sqliteSearchIndex, sqliteStore } from '../src/sqlite.ts'
import { tempFolder } from './temp-folder.ts'

const hello = [{ id: 'a', text: 'hello world' }]

describe('the index in SQLite', () => {
  it('lies in the file of the store, and a second process would find what the first indexed', async () => {
    const path = join(tempFolder(), 'app.db')
    await using store = sqliteStore({ path })
    await using first = sqliteSearchIndex({ path })
    await records(store, 'ada', { index: first }).put(['notes', '1'], 'The cat is called Momo')
    await using second = sqliteSearchIndex({ path })
    const { items } = await records(store, 'ada', { index: second }).search([], 'cats')
    expect(items.map(({ value }) => value)).toEqual(['The cat is called Momo'])
  })

  it("is a part of the application's transaction", async () => {
    const database = new DatabaseSync(':memory:')
    await using index = sqliteSearchIndex({ database })
    await index.open()
    database.exec('BEGIN')
    await index.index('s', hello)
    expect(await index.query('s', { text: 'hello', limit: 1 })).toHaveLength(1)
    database.exec('ROLLBACK')
    expect(await index.query('s', { text: 'hello', limit: 1 })).toEqual([])
    await index.close()
    expect(database.isOpen).toBe(true)
  })

  it('makes no tables where that is turned off, and says what to do', async () => {
    const database = new DatabaseSync(':memory:')
    await using index = sqliteSearchIndex({ database, provision: false })
    const missing = { code: 'not_provisioned', message: expect.stringContaining('has no search index keepsake_search') }
    await expect(index.open()).rejects.toMatchObject(missing)
    await expect(index.query('s', { text: 'x', limit: 1 })).rejects.toMatchObject(missing)
    await index.provision()
    await index.index('s', hello)
    await index.provision()
    expect(await index.query('s', { text: 'hello', limit: 1 })).toHaveLength(1)
    await index.provision({ down: true })
    expect(database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'keepsake%'").all()).toEqual([])
  })

  it('refuses tables of another format', async () => {
    const database = new DatabaseSync(':memory:')
    await using first = sqliteSearchIndex({ database })
    await first.open()
    database.exec('UPDATE keepsake_search_space SET format = 2')
    await using second = sqliteSearchIndex({ database })
    await expect(second.open()).rejects.toMatchObject({ code: 'unsupported', details: { format: 2, supported: 1 } })
  })

  it('lets no call begin once it is closed', async () => {
    const index = sqliteSearchIndex({ path: ':memory:' })
    await index.close()
    await index.close()
    await expect(index.query('s', { text: 'x', limit: 1 })).rejects.toMatchObject({ code: 'unavailable' })
  })

  it.each<[options: object, message: string]>([
    [{ path: '' }, 'path must name a file'],
    [{ path: 'x', table: 'a b' }, 'table must be a name'],
    [{ database: {} }, 'database must be a DatabaseSync'],
  ])('%j is refused', (options, message) => {
    expect(() => sqliteSearchIndex(options as never)).toThrow(message)
  })
})

describe('the index in PostgreSQL', () => {
  const client = { query: () => Promise.reject(new Error('was asked')) }

  it.each<[options: object, message: string]>([
    [{}, 'give one of url and client'],
    [{ url: 'postgres://x/y', client }, 'give one of url and client'],
    [{ url: 'mysql://x/y' }, 'url must begin with postgres://'],
    [{ client: {} }, 'client must be a Pool or Client of pg, or a PGlite'],
    [{ client, table: "a'b" }, 'table must be a name'],
    [{ client, schema: '' }, 'schema must be a name'],
    [{ client, vectors: 1 }, 'vectors must be true or false'],
  ])('%j is refused', (options, message) => {
    expect(() => postgresSearchIndex(options as never)).toThrow(message)
  })

  it('says what to do where its tables are missing', async () => {
    const missing = { query: () => Promise.reject(Object.assign(new Error('no such table'), { code: '42P01' })) }
    await using index = postgresSearchIndex({ client: missing })
    await expect(index.open()).rejects.toMatchObject({
      code: 'not_provisioned',
      message: 'The PostgreSQL database has no search index keepsake_search. Call provision() on the index.',
    })
  })

  it('takes no vectors unless it was made for them', async () => {
    const empty = { query: () => Promise.resolve({ rows: [{ format: 1, model: null, dims: null }] }) }
    await using index = postgresSearchIndex({ client: empty })
    await index.open()
    await expect(index.open({ model: 'm', dims: 3 })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('Pass vectors: true') as string,
    })
  })
})
