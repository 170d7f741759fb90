import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { encodeEnvelope, encodeTuple } from '@keepsake/core'
import { storePackages } from '@keepsake/open'
import { expect, it } from 'vitest'
import { jsonLines, keepsake, seed, SEED_MS, tempFolder } from './keepsake.ts'

// Which packages there are is told by `@keepsake/open`, and tested there.
const PACKAGES = storePackages()
  .map(({ name, schemes }) => `${name} 0.0.0 (${schemes.map((scheme) => `${scheme}:`).join(' ')})`)
  .join(', ')
const HEALTHY = `ok    Node ${process.versions.node}\nok    ${PACKAGES}\n`
const rec = encodeEnvelope({ value: 1, createdAtMs: SEED_MS })

it('finds a store in order', async () => {
  const folder = tempFolder()
  await seed(folder, async (store) => {
    const row = { entity: encodeTuple(['a']), seq: 1, updatedAtMs: SEED_MS }
    await store.write([
      { ...row, key: '1', rec },
      { ...row, key: '2', rec, expiresAtMs: SEED_MS },
      { ...row, key: '3', rec: new Uint8Array() },
      { ...row, entity: encodeTuple(['b']), key: '1', rec },
    ])
  })
  const { code, stdout, stderr } = await keepsake(folder, ['doctor'])
  const kilobytes = (statSync(join(folder, 'keepsake.db')).size / 1000).toFixed(1)
  expect(stdout).toBe(
    [
      `${HEALTHY}ok    sqlite:keepsake.db can be reached and is provisioned`,
      `ok    the file has ${kilobytes} kB and write-ahead logging is on`,
      `ok    2 entities, 4 rows, ${3 * rec.length} B of records, 1 tombstone, 1 expired`,
      '',
    ].join('\n'),
  )
  expect([code, stderr]).toEqual([0, ''])
})

it('tells machines a finding a line', async () => {
  const folder = tempFolder()
  await keepsake(folder, ['provision'])
  const { code, stdout, stderr } = await keepsake(folder, ['doctor', '--json'])
  expect(jsonLines(stdout)).toEqual([
    { check: 'node', status: 'ok', message: `Node ${process.versions.node}` },
    { check: 'packages', status: 'ok', message: PACKAGES },
    { check: 'store', status: 'ok', message: 'sqlite:keepsake.db can be reached and is provisioned' },
    {
      check: 'file',
      status: 'ok',
      message: expect.stringMatching(/^the file has .* and write-ahead logging is on$/) as string,
    },
    { check: 'content', status: 'ok', message: 'nothing is remembered yet' },
  ])
  expect([code, stderr]).toEqual([0, ''])
})

it('counts no more than 10,000 rows', async () => {
  const folder = tempFolder()
  await seed(folder, async (store) => {
    const rows = Array.from({ length: 10_001 }, (_, i) => ({
      entity: 'e',
      key: String(i),
      seq: 1,
      rec,
      updatedAtMs: 1,
    }))
    await store.write(rows)
  })
  const { stdout } = await keepsake(folder, ['doctor'])
  expect(stdout).toContain('\nok    at least 1 entity, 10,000 rows, ')
})

it.each<[what: string, uri: string, message: (folder: string) => string]>([
  ['a file that is not there', 'sqlite:no.db', (f) => `fail  There is no file ${join(f, 'no.db')}.`],
  ["another application's", 'sqlite:other.db', (f) => `fail  ${join(f, 'other.db')} has no tables of Keepsake.`],
  ['no database', 'sqlite:text.db', () => 'fail  '],
  ['an address that cannot be read', 'app.db', () => 'fail  A store URI begins with its scheme'],
  ['a scheme that nothing opens', 'cassandra://ada:hunter2@h', () => 'fail  Nothing opens cassandra: addresses.'],
])('fails for %s', async (_, uri, message) => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'text.db'), 'this is some text, and long enough to be no header of a database at all')
  const other = new DatabaseSync(join(folder, 'other.db'))
  other.exec('CREATE TABLE theirs (x)')
  other.close()
  const before = readdirSync(folder)
  const { code, stdout, stderr } = await keepsake(folder, ['doctor', '--store', uri])
  expect(stdout.startsWith(HEALTHY + message(folder))).toBe(true)
  expect(stdout).not.toContain('hunter2')
  expect([code, stderr]).toEqual([1, 'keepsake: 1 check failed.\n'])
  expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(before)
})

it('warns of a store that another one is being moved into, until that is finished', async () => {
  const folder = tempFolder()
  await seed(folder, async (store) => await store.provision())
  await keepsake(folder, ['provision', '--store', 'sqlite:new.db'])
  await keepsake(folder, ['migrate', 'sqlite:keepsake.db', 'sqlite:new.db'])
  const { code, stdout } = await keepsake(folder, ['doctor', '--store', 'sqlite:new.db'])
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /\nwarn {2}a migration into this store, begun \S+ \S+Z, is not finished: what it has is not complete\n {6}→ Do not run/,
  )
  expect((await keepsake(folder, ['doctor'])).stdout).not.toContain('migration')
  await keepsake(folder, ['migrate', 'sqlite:keepsake.db', 'sqlite:new.db', '--final'])
  expect((await keepsake(folder, ['doctor', '--store', 'sqlite:new.db'])).stdout).not.toContain('migration')
})

it('warns of a store that forgets', async () => {
  const { code, stdout } = await keepsake(tempFolder(), ['doctor', '--store', 'memory://'])
  expect(code).toBe(0)
  expect(stdout).toContain(
    'warn  memory:// is new and empty in every process\n      → Name a store that lasts with --store.\n',
  )
})
