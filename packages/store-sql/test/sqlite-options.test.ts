import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { checkSqliteOptions } from '../src/sqlite-options.ts'
import { driver, sqliteMigrations, sqliteStore } from '../src/sqlite.ts'

const path = 'never-opened.db'
const database = {} as DatabaseSync

test.each<[string, unknown, string]>([
  ['no options', undefined, 'takes an object'],
  ['a string', 'app.db', 'takes an object'],
  ['no path', {}, 'path must name a file'],
  ['an empty path', { path: '' }, 'path must name a file'],
  ['a path with U+0000', { path: 'a\0b' }, 'path must name a file'],
  ['a path that is a URL', { path: new URL('file:///app.db') }, 'path must name a file'],
  ['another durability', { path, durability: 'full' }, `durability must be 'power' or 'process'`],
  ['a negative timeout', { path, busyTimeoutMs: -1 }, 'busyTimeoutMs'],
  ['half a millisecond', { path, busyTimeoutMs: 0.5 }, 'busyTimeoutMs'],
  ['a timeout without end', { path, busyTimeoutMs: Infinity }, 'busyTimeoutMs'],
  ['a timeout of more than an hour', { path, busyTimeoutMs: 3_600_001 }, 'from 0 to 3600000'],
  ['provision that is no boolean', { path, provision: 'no' }, 'provision must be'],
  ['a table with a quote', { path, table: 'a"b' }, 'table must be a name'],
  ['a table with a schema', { path, table: 'main.rows' }, 'table must be a name'],
  ['a table with a statement', { path, table: 'a; drop table users' }, 'table must be a name'],
  ['a table with a line end', { path, table: 'rows\n' }, 'table must be a name'],
  ['a table with a letter outside ASCII', { path, table: 'größe' }, 'table must be a name'],
  ['a table that begins with a digit', { path, table: '1rows' }, 'table must be a name'],
  ['an empty table', { path, table: '' }, 'table must be a name'],
  ['a table of 53 characters', { path, table: 'r'.repeat(53) }, 'at most 52'],
  ['a table that SQLite keeps for itself', { path, table: 'SQLite_rows' }, 'sqlite_'],
  ['a database that is none', { database }, 'must be a DatabaseSync'],
  ['no database', { database: undefined }, 'must be a DatabaseSync'],
  ['a path and a database', { path, database }, 'path is for files'],
  ['durability of a database', { database, durability: 'power' }, 'durability is for files'],
  ['timeout of a database', { database, busyTimeoutMs: 5 }, 'busyTimeoutMs is for files'],
])('sqliteStore refuses %s', (_, options, text) => {
  expect(() => sqliteStore(options as never)).toThrow(
    expect.objectContaining({ code: 'invalid_value', message: expect.stringContaining(text) }),
  )
})

test('a path is taken from the working directory, and never as an address with settings', () => {
  expect(checkSqliteOptions({ path: 'data.db' }).client.where).toBe(`${process.cwd()}/data.db`)
  expect(checkSqliteOptions({ path: 'file:data.db?mode=memory' }).client.where).toBe(
    `${process.cwd()}/file:data.db?mode=memory`,
  )
  expect(checkSqliteOptions({ path: ':memory:' }).client.where).toBe(':memory:')
})

test('the longest name of a table can be used', async () => {
  await using store = sqliteStore({ path: ':memory:', table: 'r'.repeat(52) })
  await store.provision()
  await store.verify()
})

test('sqliteMigrations refuses a name that it could not quote', () => {
  expect(() => sqliteMigrations('a"b')).toThrow(expect.objectContaining({ code: 'invalid_value' }))
})

test('the driver opens its two schemes', async () => {
  expect(driver.schemes).toEqual(['sqlite', 'file'])
  await using store = await driver.open('sqlite::memory:')
  expect(store.name).toBe('sqlite')
  expect(await store.entities({ limit: 1 })).toEqual([])
  expect(() => driver.open('redis://localhost')).toThrow(expect.objectContaining({ code: 'invalid_value' }))
})
