import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { KeepsakeError } from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import type { SqlMigration } from '../src/migrations.ts'
import { checkVersion } from '../src/migrations.ts'
import { migrate, schemaVersion, sqliteMigrations } from '../src/sqlite-migrations.ts'
import { sqliteStore } from '../src/sqlite-store.ts'
import { row } from './rows.ts'
import { tempFolder } from './temp-folder.ts'

const where = 'The test database'

describe('provision', () => {
  test('makes the tables, and may be repeated', async () => {
    const path = join(tempFolder(), 'app.db')
    await using store = sqliteStore({ path, provision: false })
    await store.provision()
    await store.write([row()])
    await store.provision()
    await store.verify()
    expect(await store.load([row()])).toHaveLength(1)
    expect(tables(path)).toEqual(['keepsake_rows', 'keepsake_rows_migrations'])
  })

  test('down removes every trace, and what follows says so', async () => {
    const path = join(tempFolder(), 'app.db')
    await using store = sqliteStore({ path })
    await store.write([row()])
    await store.provision({ down: true })
    expect(tables(path)).toEqual([])
    await expect(store.verify()).rejects.toMatchObject({ code: 'not_provisioned' })
    await expect(store.write([row()])).rejects.toMatchObject({ code: 'not_provisioned' })
    expect(tables(path)).toEqual([])
    await store.provision()
    expect(await store.load([row()])).toEqual([undefined])
  })

  test('to 0 makes nothing', async () => {
    const path = join(tempFolder(), 'app.db')
    await using store = sqliteStore({ path })
    await store.provision({ to: 0 })
    expect(tables(path)).toEqual([])
  })

  test('is exact about versions', async () => {
    await using store = sqliteStore({ path: ':memory:' })
    await expect(store.provision({ to: 99 })).rejects.toMatchObject({ code: 'invalid_value' })
  })

  test("leaves what the exported statements leave, run by the application's own tool", async () => {
    const folder = tempFolder()
    {
      await using store = sqliteStore({ path: join(folder, 'a.db') })
      await store.provision()
      using own = new DatabaseSync(join(folder, 'b.db'))
      for (const statement of sqliteMigrations().flatMap(({ up }) => up)) own.exec(statement)
    }
    expect(schema(join(folder, 'b.db'))).toEqual(schema(join(folder, 'a.db')))
    await using store = sqliteStore({ path: join(folder, 'b.db'), provision: false })
    await store.verify()
    using own = new DatabaseSync(join(folder, 'b.db'))
    for (const statement of sqliteMigrations().flatMap(({ down }) => down)) own.exec(statement)
    expect(tables(join(folder, 'b.db'))).toEqual([])
  })

  test('a table is what defaults say', () => {
    using database = new DatabaseSync(':memory:')
    for (const statement of sqliteMigrations('my_rows').flatMap(({ up }) => up)) database.exec(statement)
    const columns = database.prepare(`select name, type, "notnull", pk from pragma_table_info('my_rows')`).all()
    expect(columns.map((column) => ({ ...column }))).toEqual([
      { name: 'entity_key', type: 'TEXT', notnull: 1, pk: 1 },
      { name: 'key', type: 'TEXT', notnull: 1, pk: 2 },
      { name: 'seq', type: 'BIGINT', notnull: 1, pk: 0 },
      { name: 'rec', type: 'BLOB', notnull: 1, pk: 0 },
      { name: 'updated_at_ms', type: 'BIGINT', notnull: 1, pk: 0 },
      { name: 'expires_at_ms', type: 'BIGINT', notnull: 0, pk: 0 },
    ])
  })
})

describe('opening', () => {
  test('provisions a file that has no tables of ours, and leaves the others alone', async () => {
    const path = join(tempFolder(), 'app.db')
    {
      using own = new DatabaseSync(path)
      own.exec(`create table users (id integer primary key); insert into users values (7)`)
    }
    await using store = sqliteStore({ path })
    await store.write([row()])
    expect(tables(path)).toEqual(['keepsake_rows', 'keepsake_rows_migrations', 'users'])
  })

  test('with provision: false creates neither tables nor a file', async () => {
    const path = join(tempFolder(), 'app.db')
    await using store = sqliteStore({ path, provision: false })
    const missing = { code: 'not_provisioned', message: expect.stringContaining('keepsake provision') }
    await expect(store.load([row()])).rejects.toMatchObject(missing)
    await expect(store.verify()).rejects.toMatchObject(missing)
    expect(() => new DatabaseSync(path, { readOnly: true })).toThrow('unable to open')
    await store.provision()
    expect(await store.load([row()])).toEqual([undefined])
  })

  test('verify creates nothing', async () => {
    const path = join(tempFolder(), 'app.db')
    await using store = sqliteStore({ path })
    await expect(store.verify()).rejects.toMatchObject({ code: 'not_provisioned' })
    expect(() => new DatabaseSync(path, { readOnly: true })).toThrow('unable to open')
    await store.write([row()])
    await store.verify()
  })

  test('never migrates: an older schema is for provision()', () => {
    using database = new DatabaseSync(':memory:')
    const first = sqliteMigrations()
    migrate(database, { table: 'keepsake_rows', migrations: first, where })
    const schemaOfTwo = { table: 'keepsake_rows', migrations: [...first, addColumn], where }
    expect(() => checkVersion(schemaVersion(database, schemaOfTwo), schemaOfTwo)).toThrow(
      expect.objectContaining({ code: 'not_provisioned', message: expect.stringContaining('version 1 and needs 2') }),
    )
    migrate(database, schemaOfTwo)
    expect(schemaVersion(database, schemaOfTwo)).toBe(2)
    migrate(database, schemaOfTwo, { down: true, to: 1 })
    expect(schemaVersion(database, schemaOfTwo)).toBe(1)
  })

  test('refuses a schema of a newer version, for use and for provision()', async () => {
    const path = join(tempFolder(), 'app.db')
    using database = new DatabaseSync(path)
    migrate(database, { table: 'keepsake_rows', migrations: [...sqliteMigrations(), addColumn], where })
    await using store = sqliteStore({ path })
    const newer = { code: 'unsupported', message: expect.stringContaining('newer'), details: { version: 2, latest: 1 } }
    await expect(store.load([row()])).rejects.toMatchObject(newer)
    await expect(store.verify()).rejects.toMatchObject(newer)
    await expect(store.provision()).rejects.toMatchObject(newer)
    await expect(store.provision({ down: true })).rejects.toMatchObject(newer)
  })

  test.each([
    ['a table of that name that somebody else made', 'create table KEEPSAKE_ROWS (a)'],
    ['our table of migrations alone', 'create table keepsake_rows_migrations (version integer primary key)'],
    ['both, without a version', 'create table keepsake_rows (a); create table keepsake_rows_migrations (version)'],
  ])('refuses %s', async (_, sql) => {
    const path = join(tempFolder(), 'app.db')
    using database = new DatabaseSync(path)
    database.exec(sql)
    await using store = sqliteStore({ path })
    const foreign = { code: 'unsupported', message: expect.stringContaining('not the work of provision()') }
    await expect(store.write([row()])).rejects.toMatchObject(foreign)
    await expect(store.provision()).rejects.toMatchObject(foreign)
  })

  test('a migration that fails leaves the schema as it was', () => {
    using database = new DatabaseSync(':memory:')
    const first = sqliteMigrations()
    migrate(database, { table: 'keepsake_rows', migrations: first, where })
    const broken = { ...addColumn, up: [...addColumn.up, 'alter table missing add column x'] }
    const schemaOfTwo = { table: 'keepsake_rows', migrations: [...first, broken], where }
    expect(() => migrate(database, schemaOfTwo)).toThrow('no such table: missing')
    expect(schemaVersion(database, schemaOfTwo)).toBe(1)
    expect(database.prepare(`select name from pragma_table_info('keepsake_rows') where name = 'extra'`).all()).toEqual(
      [],
    )
  })
})

test('two tables in one file are two stores', async () => {
  const path = join(tempFolder(), 'app.db')
  await using first = sqliteStore({ path })
  await using second = sqliteStore({ path, table: 'other_rows' })
  await first.write([row()])
  expect(await second.load([row()])).toEqual([undefined])
  await second.provision({ down: true })
  expect(await first.entities({ limit: 10 })).toEqual(['ann'])
  expect(KeepsakeError.isInstance(await second.verify().catch((error: unknown) => error), 'not_provisioned')).toBe(true)
})

const addColumn: SqlMigration = {
  version: 2,
  name: 'extra',
  up: [
    'alter table keepsake_rows add column extra text',
    `insert into keepsake_rows_migrations (version, name) values (2, 'extra')`,
  ],
  down: ['alter table keepsake_rows drop column extra', 'delete from keepsake_rows_migrations where version = 2'],
}

function tables(path: string): unknown[] {
  using database = new DatabaseSync(path)
  return database
    .prepare(`select name from sqlite_schema where type = 'table' order by name`)
    .all()
    .map(({ name }) => name)
}

function schema(path: string): unknown[] {
  using database = new DatabaseSync(path)
  return database.prepare('select type, name, sql from sqlite_schema order by name').all()
}
