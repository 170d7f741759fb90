import type { RowStore } from '@keepsake/core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { SqlMigration } from '../src/migrations.ts'
import { mysqlMigrations } from '../src/mysql-migrations.ts'
import { postgresMigrations } from '../src/postgres-migrations.ts'
import { liveDatabases } from './live-database.ts'
import { row } from './rows.ts'

const MISSING = {
  code: 'not_provisioned',
  message: expect.stringMatching(
    /^The (PostgreSQL|MySQL) database has no tables of Keepsake\. Run `keepsake provision`/,
  ),
}

describe.each(await liveDatabases())('$name', (database) => {
  const migrations: readonly SqlMigration[] = database.name === 'postgres' ? postgresMigrations() : mysqlMigrations()
  const run = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await database.run(statement)
  }

  afterEach(() => run(['DROP TABLE IF EXISTS keepsake_rows', 'DROP TABLE IF EXISTS keepsake_rows_migrations']))
  beforeAll(() => database.create())
  afterAll(() => database[Symbol.asyncDispose]())

  test('no call creates tables; all say what to run', async () => {
    await using store = database.open()
    const calls: ((s: RowStore) => Promise<unknown>)[] = [
      (s) => s.load([row()]),
      (s) => s.scan('ann', { limit: 1 }),
      (s) => s.entities({ limit: 1 }),
      (s) => s.write([row()]),
      (s) => s.write([row(), row({ key: 'l', guard: 'absent' })]),
      (s) => s.remove([row()]),
      (s) => s.removeEntity('ann'),
      (s) => s.verify(),
    ]
    for (const call of calls) await expect(call(store)).rejects.toMatchObject(MISSING)
    await store.provision()
    for (const call of calls) await call(store)
  })

  test('ten stores that provision at once leave what one leaves', async () => {
    const stores = Array.from({ length: 10 }, () => database.open())
    await Promise.all(stores.map((store) => store.provision()))
    await Promise.all(stores.map((store) => store.verify()))
    expect(await database.run('SELECT version, name FROM keepsake_rows_migrations')).toEqual([[1, 'rows']])
    await Promise.all(stores.map((store) => store.close()))
  })

  test('ten that go up and down at once leave one or the other', async () => {
    const stores = Array.from({ length: 10 }, () => database.open())
    await Promise.all(stores.map((store, i) => store.provision({ down: i % 2 === 1 })))
    await stores[0]!.provision()
    await stores[0]!.verify()
    await Promise.all(stores.map((store) => store.close()))
  })

  test('again keeps rows, down takes them, up begins anew', async () => {
    await using store = database.open()
    await store.provision()
    await store.write([row()])
    await store.provision()
    await store.provision({ to: 1 })
    await expect(store.provision({ to: 0 })).rejects.toMatchObject({ code: 'invalid_value' })
    await expect(store.provision({ to: 2 })).rejects.toMatchObject({ code: 'invalid_value' })
    expect(await store.load([row()])).toEqual([expect.objectContaining({ seq: 1 })])
    await store.provision({ down: true })
    await store.provision({ down: true })
    await expect(store.verify()).rejects.toMatchObject(MISSING)
    // This store has been used: it learns of it from the server.
    await expect(store.load([row()])).rejects.toMatchObject({ code: 'not_provisioned' })
    await store.provision()
    expect(await store.load([row()])).toEqual([undefined])
  })

  test('the exported statements, run by hand, are what provision() runs', async () => {
    await run(migrations.flatMap(({ up }) => up))
    await using store = database.open()
    await store.verify()
    expect(await store.write([row()])).toEqual([{ status: 'applied' }])
    await run(migrations.flatMap(({ down }) => down))
    await expect(store.verify()).rejects.toMatchObject(MISSING)
  })

  test('a newer schema is refused and left alone', async () => {
    await using store = database.open()
    await store.provision()
    await run([`INSERT INTO keepsake_rows_migrations (version, name) VALUES (2, 'later')`])
    const newer = { code: 'unsupported', message: expect.stringContaining('update the package') }
    await using other = database.open()
    for (const call of [
      () => other.verify(),
      () => other.load([row()]),
      () => other.provision(),
      () => other.provision({ down: true }),
    ]) {
      await expect(call()).rejects.toMatchObject(newer)
    }
  })

  test.each([
    ['of rows', 'CREATE TABLE keepsake_rows (id INTEGER)'],
    ['of migrations that lacks its table of rows', migrationsOf(migrations)],
  ])('a table %s that is not ours is refused and left alone', async (_, statement) => {
    await run([statement])
    if (statement.includes('_migrations')) await run([`INSERT INTO keepsake_rows_migrations VALUES (1, 'rows', now())`])
    await using store = database.open()
    const foreign = { code: 'unsupported', message: expect.stringContaining('not the work of provision()') }
    await expect(store.provision()).rejects.toMatchObject(foreign)
    await expect(store.provision({ down: true })).rejects.toMatchObject(foreign)
    await expect(store.write([row()])).rejects.toMatchObject(foreign)
  })

  // PostgreSQL has transactions of such statements: nothing is ever halfway.
  if (database.name === 'mysql')
    test('an end halfway is made good', async () => {
      const { up } = migrations[0]!
      for (const done of [1, 2]) {
        await run(up.slice(0, done))
        await using store = database.open()
        await expect(store.verify()).rejects.toMatchObject(MISSING)
        await store.provision()
        await store.verify()
        await store.provision({ down: true })
      }
    })

  test('the table has the types and the order that rows need', async () => {
    await using store = database.open()
    await store.provision()
    expect((await database.run(COLUMNS[database.name])).map((column) => column.map(String).join(' '))).toEqual(
      TYPES[database.name],
    )
  })
})

const COLUMNS = {
  postgres: `SELECT column_name, data_type, collation_name, is_nullable FROM information_schema.columns WHERE table_name = 'keepsake_rows' ORDER BY ordinal_position`,
  // MySQL has no widths of integers any more.
  mysql: `SELECT column_name, replace(column_type, '(20)', ''), collation_name, is_nullable FROM information_schema.columns WHERE table_name = 'keepsake_rows' AND table_schema = DATABASE() ORDER BY ordinal_position`,
}

const TYPES = {
  postgres: [
    'entity_key text C NO',
    'key text C NO',
    'seq bigint null NO',
    'rec bytea null NO',
    'updated_at_ms bigint null NO',
    'expires_at_ms bigint null YES',
  ],
  mysql: [
    'entity_key varbinary(512) null NO',
    'key varbinary(1024) null NO',
    'seq bigint null NO',
    'rec longblob null NO',
    'updated_at_ms bigint null NO',
    'expires_at_ms bigint null YES',
  ],
}

function migrationsOf(migrations: readonly SqlMigration[]): string {
  return migrations[0]!.up.find((statement) => statement.includes('_migrations'))!
}
