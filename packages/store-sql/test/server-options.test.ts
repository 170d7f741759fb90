import { KeepsakeError } from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import { driver as mysqlDriver, mysqlMigrations, mysqlStore } from '../src/mysql.ts'
import { driver as postgresDriver, postgresMigrations, postgresStore } from '../src/postgres.ts'

const url = 'postgres://ada:hunter2@h/d'
const pool = { connect: async () => Promise.reject(new Error('unused')) }
const client = {
  query: async () => ({ rows: [], rowCount: 0 }),
  on() {},
  removeListener() {},
  getTypeParser: () => (text: string) => text,
  getTransactionStatus: () => 'I',
}

function refusal(open: () => unknown): KeepsakeError {
  try {
    open()
  } catch (error) {
    if (KeepsakeError.isInstance(error, 'invalid_value')) return error
    throw error
  }
  throw new Error('it was taken')
}

describe.each<[string, (options: never) => unknown, unknown[]]>([
  [
    'postgresStore',
    postgresStore,
    [
      undefined,
      null,
      'postgres://h/d',
      {},
      { url: undefined },
      { url: '' },
      { url: 'hunter2' },
      { url: 'mysql://ada:hunter2@h/d' },
      { url: 'postgres://ada:hunter2@h:99999/d' },
      { url: 5 },
      { url, pool },
      { url, client },
      { pool, client },
      { pool: {} },
      { pool: null },
      { client: {} },
      { client: { query: async () => {} } },
      { url, maxConnections: 0 },
      { url, maxConnections: 1.5 },
      { pool, maxConnections: 5 },
      { client, queryTimeoutMs: 5 },
      { client, retryTimeoutMs: 5 },
      { url, queryTimeoutMs: 0 },
      { url, queryTimeoutMs: Infinity },
      { url, queryTimeoutMs: 2 ** 31 },
      { url, retryTimeoutMs: -1 },
      { url, table: '' },
      { url, table: 'a"; drop table users; --' },
      { url, table: 'x'.repeat(53) },
      { url, schema: '' },
      { url, schema: 'a.b' },
      { url, schema: '1st' },
      { url, schema: 'x'.repeat(64) },
    ],
  ],
  [
    'mysqlStore',
    mysqlStore,
    [
      undefined,
      null,
      {},
      { url },
      { url: 'mysql:ada:hunter2@h' },
      { url: 'mysql://h/d', pool: { getConnection() {} } },
      { pool: {} },
      { pool: { pool: {} } },
      { pool: { getConnection() {} }, maxConnections: 5 },
      { url: 'mysql://h/d', maxConnections: '5' },
      { url: 'mysql://h/d', queryTimeoutMs: '5' },
      { url: 'mysql://h/d', table: 'a`b' },
    ],
  ],
])('%s', (_, open, wrong) => {
  test.each(wrong.map((options) => [options]))('refuses %j', (options) => {
    const error = refusal(() => open(options as never))
    expect(`${error.message} ${JSON.stringify(error.details)} ${String(error.cause)}`).not.toContain('hunter2')
  })
})

test('what is right connects to nothing', async () => {
  const stores = [
    postgresStore({ url }),
    postgresStore({ url: 'POSTGRESQL://h', schema: 'Agents', table: 'T', maxConnections: 1, retryTimeoutMs: 0 }),
    postgresStore({ pool, queryTimeoutMs: 1 }),
    postgresStore({ client }),
    mysqlStore({ url: 'mariadb://h/d' }),
    mysqlStore({ pool: { getConnection() {} } }),
    mysqlStore({ pool: { pool: { getConnection() {} } } }),
    await postgresDriver.open(url),
    await mysqlDriver.open('mysql://h/d'),
  ]
  expect(stores.map(({ name }) => name)).toEqual([
    ...Array(4).fill('postgres'),
    ...Array(3).fill('mysql'),
    'postgres',
    'mysql',
  ])
  for (const store of stores) await store.close()
})

test('migrations are named as the store is', () => {
  expect(refusal(() => postgresMigrations({ table: 'a b' })).message).toContain('table')
  expect(refusal(() => postgresMigrations({ schema: 'a b' })).message).toContain('schema')
  expect(refusal(() => mysqlMigrations('a b')).message).toContain('table')
  const [migration] = postgresMigrations({ schema: 'Agents', table: 'rows' })
  expect(migration!.down).toEqual(['DROP TABLE "Agents"."rows"', 'DROP TABLE "Agents"."rows_migrations"'])
  expect(mysqlMigrations('rows')[0]!.down).toEqual(['DROP TABLE `rows`, `rows_migrations`'])
})
