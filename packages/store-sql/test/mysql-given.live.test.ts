import { type PoolOptions, createPool } from 'mysql2'
import { createPool as createPromisePool } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mysqlStore } from '../src/mysql-store.ts'
import { liveDatabases } from './live-database.ts'
import { applied, bytes, row } from './rows.ts'

const databases = (await liveDatabases()).filter(({ name }) => name === 'mysql')

describe.each(databases)('given to a store on $name', (database) => {
  const uri = database.url
  beforeAll(async () => {
    await database.create()
    await using store = database.open()
    await store.provision()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  test('a pool is never closed, and gets all its connections back, whatever fails', async () => {
    const pool = createPromisePool({ uri, connectionLimit: 2 })
    const store = mysqlStore({ pool })
    await database.run(
      `CREATE TRIGGER refuse BEFORE INSERT ON keepsake_rows FOR EACH ROW BEGIN IF new.\`key\` = 'refused' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused'; END IF; END`,
    )
    const failing = [
      [row({ key: 'refused' })],
      [row({ key: 'refused' }), row({ key: 'a' })],
      [row({ key: 'a', guard: 'absent' }), row({ key: 'refused' })],
      [row({ key: 'b' }), row({ key: 'b' }), row({ key: 'refused' })],
    ]
    for (let round = 0; round < 5; round++) {
      const outcomes = await Promise.allSettled(failing.map((rows) => store.write(rows)))
      const codes = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason.details.code as string)
      expect(codes).toEqual(Array(4).fill('ER_SIGNAL_EXCEPTION'))
    }
    await database.run('DROP TRIGGER refuse')
    expect(await store.load([row({ key: 'a' }), row({ key: 'b' })])).toEqual([undefined, undefined])
    expect(await store.write([row({ key: 'refused' }), row({ key: 'a' })])).toEqual(applied(2))
    await store.close()
    await expect(store.load([row()])).rejects.toMatchObject({ code: 'unavailable' })
    // All are free: as many transactions as there are connections can begin.
    const all = await Promise.all([pool.getConnection(), pool.getConnection()])
    for (const connection of all)
      expect((await connection.query('SELECT @@in_transaction AS open'))[0]).toEqual([{ open: 0 }])
    for (const connection of all) connection.release()
    await pool.end()
  })

  test('a pool whose connections are all taken makes a call unavailable, and works when one is free', async () => {
    const pool = createPromisePool({ uri, connectionLimit: 1 })
    await using store = mysqlStore({ pool, queryTimeoutMs: 100 })
    const taken = await pool.getConnection()
    await expect(store.load([row()])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('no connection was free'),
    })
    taken.release()
    expect(await store.load([row()])).toHaveLength(1)
    await pool.end()
  })

  test.each<[string, PoolOptions]>([
    ['large numbers as texts', { supportBigNumbers: true, bigNumberStrings: true }],
    ['values made by a function', { typeCast: () => 'nonsense' }],
    ['tables around columns', { nestTables: true }],
    ['names for parameters', { namedPlaceholders: true }],
    ['another charset', { charset: 'LATIN1_SWEDISH_CI' }],
    ['rows counted that were found', { flags: ['FOUND_ROWS'] }],
    ['rows counted that were changed', { flags: ['-FOUND_ROWS'] }],
  ])('a pool is read right with %s', async (_, options) => {
    const pool = createPool({ uri, connectionLimit: 2, ...options })
    await using store = mysqlStore({ pool })
    await store.removeEntity('ann')
    const written = row({ key: 'ключ 😀', seq: 2 ** 50, expiresAtMs: 9, rec: new Uint8Array([0, 1, 39, 92, 200, 255]) })
    const newer = { ...written, seq: 2 ** 50 + 1, rec: bytes('newer') }
    expect(await store.write([written])).toEqual(applied(1))
    expect(await store.write([written])).toEqual(applied(1))
    expect(await store.load([written])).toEqual([written])
    expect(await store.write([newer, row({ key: 'l', guard: 'absent' }), row({ key: 'm' })])).toEqual(applied(3))
    expect(await store.write([written, row({ key: 'm' }), row({ key: 'n' })])).toEqual([
      { status: 'stale', seq: newer.seq },
      { status: 'applied' },
      { status: 'applied' },
    ])
    expect(await store.write([{ ...written, guard: 'absent' }])).toEqual([{ status: 'stale', seq: newer.seq }])
    expect(await store.write([{ ...newer, guard: { seq: written.seq } }])).toEqual(applied(1))
    expect(await store.load([written])).toEqual([newer])
    expect((await store.scan('ann', { limit: 9 })).map(({ key }) => key)).toEqual(['l', 'm', 'n', 'ключ 😀'])
    expect(await store.entities({ limit: 1 })).toEqual(['ann'])
    await store.verify()
    await store.provision()
    await new Promise((resolve) => pool.end(resolve))
  })

  test('a pool whose writes would wait for a COMMIT that never comes is refused', async () => {
    const pool = createPromisePool({ uri, connectionLimit: 1 })
    await pool.query('SET autocommit = 0')
    await using store = mysqlStore({ pool })
    await expect(store.write([row()])).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('autocommit'),
    })
    await pool.end()
  })

  test('an address that names no database is refused', async () => {
    const address = new URL(uri)
    address.pathname = '/'
    await using store = mysqlStore({ url: address.href })
    await expect(store.provision()).rejects.toMatchObject({ code: 'invalid_value' })
    await expect(store.load([row()])).rejects.toMatchObject({ code: 'invalid_value' })
  })

  test('a pool of the application that was closed is unavailable at once', async () => {
    const pool = createPromisePool(uri)
    await using store = mysqlStore({ pool })
    await store.load([row()])
    await pool.end()
    await expect(store.load([row()])).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The MySQL database was closed by the application.',
    })
  })
})
