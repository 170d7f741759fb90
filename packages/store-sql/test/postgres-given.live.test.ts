import { records } from '@keepsake/core'
import { Client, Pool, types } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresStore } from '../src/postgres-store.ts'
import { liveDatabases } from './live-database.ts'
import { applied, bytes, row } from './rows.ts'

const databases = (await liveDatabases()).filter(({ name }) => name === 'postgres')

describe.each(databases)('given to a store on $name', (database) => {
  const connectionString = database.url
  beforeAll(async () => {
    await database.create()
    await using store = database.open()
    await store.provision()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  async function connected(): Promise<Client> {
    const client = new Client({ connectionString })
    await client.connect()
    return client
  }

  test('a pool is never closed, and gets all its connections back, whatever fails', async () => {
    const pool = new Pool({ connectionString, max: 2 })
    const store = postgresStore({ pool })
    await database.run(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF new.key = 'ends' THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
  IF new.key = 'refused' THEN RAISE EXCEPTION 'refused'; END IF;
  RETURN new;
END $$`,
    )
    await database.run('CREATE TRIGGER refuse BEFORE INSERT ON keepsake_rows FOR EACH ROW EXECUTE FUNCTION refuse()')
    const once = postgresStore({ pool, retryTimeoutMs: 0 })
    const failing = ['refused', 'ends'].flatMap((key) => [
      [row({ key })],
      [row({ key }), row({ key: 'a' })],
      // Several statements in a transaction, which then cannot be rolled back where the session has ended.
      [row({ key: 'a', guard: 'absent' }), row({ key })],
      [row({ key: 'b' }), row({ key: 'b' }), row({ key })],
    ])
    for (let round = 0; round < 5; round++) {
      const outcomes = await Promise.allSettled(failing.map((rows) => once.write(rows)))
      // The first error is the one that is told, and not that of the rollback.
      const codes = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason.details.code as string)
      expect(codes).toEqual([...Array(4).fill('P0001'), ...Array(4).fill('57P01')])
    }
    await database.run('DROP FUNCTION refuse CASCADE')
    expect(await store.write([row({ key: 'ends' }), row({ key: 'refused' })])).toEqual(applied(2))
    expect(await store.load([row({ key: 'a' }), row({ key: 'b' })])).toEqual([undefined, undefined])
    await Promise.all([store.close(), once.close()])
    await expect(store.load([row()])).rejects.toMatchObject({ code: 'unavailable' })
    expect([pool.waitingCount, pool.idleCount === pool.totalCount, pool.totalCount <= 2]).toEqual([0, true, true])
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await pool.end()
  })

  test('a pool whose connections are all taken makes a call unavailable, and works when one is free', async () => {
    const pool = new Pool({ connectionString, max: 1 })
    await using store = postgresStore({ pool, queryTimeoutMs: 100 })
    const taken = await pool.connect()
    await expect(store.load([row()])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('no connection was free'),
    })
    taken.release()
    expect(await store.load([row()])).toHaveLength(1)
    expect(pool.idleCount).toBe(1)
    await pool.end()
  })

  test('a pool is read right whatever the application has told pg and the server', async () => {
    const custom = {
      getTypeParser: (oid: number) => (text: string) => (oid === 17 ? pgBytes(text) : BigInt(text.length)),
    }
    const pool = new Pool({
      connectionString,
      types: custom,
      options: '-c bytea_output=escape -c default_transaction_isolation=serializable -c search_path=public',
    })
    await using store = postgresStore({ pool })
    const written = row({ key: 'types', seq: 2 ** 50, expiresAtMs: 9, rec: new Uint8Array([0, 1, 92, 39, 200, 255]) })
    expect(await store.write([written, row({ key: 'types2' })])).toEqual(applied(2))
    expect(await store.load([written])).toEqual([written])
    expect(await store.entities({ limit: 1 })).toEqual(['ann'])
    await store.verify()
    await store.provision()
    await pool.end()
  })

  test('a pool that makes no bytes of bytes is refused, and one that was closed is unavailable', async () => {
    const textOnly = { getTypeParser: () => (text: string) => text }
    const pool = new Pool({ connectionString, types: textOnly })
    await using store = postgresStore({ pool })
    await store.write([row()])
    await expect(store.load([row()])).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('bytea'),
    })
    await pool.end()
    await expect(store.load([row()])).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The PostgreSQL database was closed by the application.',
    })
  })

  test('two stores on one pool prepare statements that do not meet, and go on after DISCARD ALL', async () => {
    const pool = new Pool({ connectionString, max: 1 })
    const [one, two] = [postgresStore({ pool, table: 'one' }), postgresStore({ pool, table: 'two', schema: 'Second' })]
    await Promise.all([one.provision(), two.provision()])
    for (const seq of [1, 2]) {
      for (const store of [one, two]) expect(await store.write([row({ seq })])).toEqual(applied(1))
      // The server forgets what was prepared; pg does not know.
      await pool.query('DISCARD ALL')
    }
    expect((await one.load([row()]))[0]?.seq).toBe(2)
    await Promise.all([one.provision({ down: true }), two.provision({ down: true })])
    await pool.end()
  })

  test('a connection is never closed, and takes one call at a time', async () => {
    const client = await connected()
    const store = postgresStore({ client })
    const calls = Array.from({ length: 10 }, (_, i) => [
      store.write([row({ entity: 'turns', key: `${i}a` }), row({ entity: 'turns', key: `${i}b`, guard: 'absent' })]),
      store.load([row({ entity: 'turns', key: `${i}a` })]),
    ])
    await Promise.all(calls.flat())
    expect(await store.scan('turns', { limit: 50 })).toHaveLength(20)
    await store.close()
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await client.end()
  })

  test("on a connection, writes within the application's transaction are part of it", async () => {
    const client = await connected()
    await using store = postgresStore({ client })
    const owner = records(store, 'ann')
    await client.query('BEGIN')
    await owner.put(['orders', 'last'], { book: 'Momo' })
    await store.write([row({ entity: 'tx', key: 'a' }), row({ entity: 'tx', key: 'b', guard: 'absent' })])
    expect(client.getTransactionStatus()).toBe('T')
    await client.query('ROLLBACK')
    expect(await owner.get(['orders', 'last'])).toBeUndefined()
    expect(await store.scan('tx', { limit: 5 })).toEqual([])

    await client.query('BEGIN')
    await store.write([row({ entity: 'tx', key: 'a' }), row({ entity: 'tx', key: 'b', guard: 'absent' })])
    await client.query('COMMIT')
    expect(await store.scan('tx', { limit: 5 })).toHaveLength(2)
    await client.end()
  })

  test('on a connection, a batch that fails leaves the transaction of the application as it was', async () => {
    const client = await connected()
    await using store = postgresStore({ client })
    await database.run(`ALTER TABLE keepsake_rows ADD CONSTRAINT small CHECK (seq < 1000) NOT VALID`)
    await client.query('BEGIN')
    await store.write([row({ entity: 'kept', key: 'a' })])
    const failing = [row({ entity: 'kept', key: 'b', guard: 'absent' }), row({ entity: 'kept', key: 'c', seq: 1000 })]
    await expect(store.write(failing)).rejects.toMatchObject({ code: 'unavailable' })
    await store.write([row({ entity: 'kept', key: 'd' })])
    await client.query('COMMIT')
    expect((await store.scan('kept', { limit: 5 })).map(({ key }) => key)).toEqual(['a', 'd'])
    await database.run(`ALTER TABLE keepsake_rows DROP CONSTRAINT small`)
    await client.end()
  })

  test('on a connection, tables can come with a transaction and go with it', async () => {
    const client = await connected()
    await using store = postgresStore({ client, schema: 'in_transaction' })
    await client.query('BEGIN')
    await store.provision()
    expect(await store.write([row({ rec: bytes('x') })])).toEqual(applied(1))
    await client.query('ROLLBACK')
    await expect(store.verify()).rejects.toMatchObject({ code: 'not_provisioned' })
    await client.end()
  })

  test('a connection that has ended is unavailable at once', async () => {
    const client = await connected()
    await using store = postgresStore({ client })
    await store.load([row()])
    await client.end()
    await expect(store.load([row()])).rejects.toMatchObject({ code: 'unavailable' })
  })
})

/** As pg does it for the output format `escape`. */
function pgBytes(text: string): Buffer {
  return types.getTypeParser(types.builtins.BYTEA)(text) as Buffer
}
