import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { liveDatabases, type LiveDatabase } from './live-database.ts'
import { applied, row } from './rows.ts'

describe.each(await liveDatabases())('$name', (database) => {
  beforeAll(async () => {
    await database.create()
    await using store = database.open()
    await store.provision()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  test('a deadlock with an application that locks in the opposite order is tried again', async () => {
    await using store = database.open()
    const [a, b] = ['a', 'b'].map((key) => ({ entity: 'deadlock', key }))
    await store.write([row(a), row(b)])
    await using application = await opposite(database)
    await application.change(b!.entity, b!.key)
    const writing = store.write([row({ ...a, seq: 5 }), row({ ...b, seq: 5, guard: { seq: 1 } })])
    await database.oneWaits()
    // The store's transaction is the one that the server ends: it wrote less, or looks first.
    await application.change(a!.entity, a!.key)
    await application.commit()
    expect(await writing).toEqual(applied(2))
    expect((await store.scan('deadlock', { limit: 5 })).map(({ seq }) => seq)).toEqual([5, 5])
  })

  test('stores that write the same rows in opposite orders never wait for each other in a circle', async () => {
    // A deadlock would be an error.
    await using store = database.open({ retryTimeoutMs: 0 })
    await using other = database.open({ retryTimeoutMs: 0 })
    const ids = Array.from({ length: 20 }, (_, i) => ({ entity: 'orders', key: String(i) }))
    await store.write(ids.map((id) => row({ ...id, seq: 0 })))
    for (let round = 0; round < 20; round++) {
      const batch = (seq: number) =>
        ids.map((id, i) => row({ ...id, seq, ...(i % 3 === 1 && { guard: { seq: 2 * round } }) }))
      await Promise.all([store.write(batch(2 * round + 1)), other.write(batch(2 * round + 2).toReversed())])
      await store.write(ids.map((id) => row({ ...id, seq: 2 * round + 2 })))
    }
    expect((await store.load(ids)).map((found) => found?.seq)).toEqual(Array(20).fill(40))
  })

  test('a lock that is held for too long makes a call unavailable, and the store goes on', async () => {
    await using store = database.open({ queryTimeoutMs: 300, maxConnections: 2 })
    const id = { entity: 'held', key: 'k' }
    await store.write([row(id)])
    const unlock = await database.lock(id.entity, id.key)
    const failures = Array.from({ length: 2 }, (_, i) => store.write([row({ ...id, seq: 2 + i })]))
    for (const failure of failures) {
      await expect(failure).rejects.toMatchObject({
        code: 'unavailable',
        retryable: true,
        details: { timeoutMs: 300 },
        message: expect.stringContaining('did not answer within 300 ms'),
      })
    }
    // Both connections of the pool were given up, and replaced.
    expect(await Promise.all(Array.from({ length: 4 }, () => store.load([id])))).toHaveLength(4)
    await unlock()
    // The server has noticed, and what waited is gone with its session.
    await vi.waitFor(async () => expect(await database.sessions()).toBeLessThanOrEqual(2), 5000)
    expect(await store.write([row({ ...id, seq: 9 })])).toEqual(applied(1))
  })

  test('a signal lets the caller go at once, and close() waits for what was sent', async () => {
    const store = database.open()
    const id = { entity: 'aborted', key: 'k' }
    await store.write([row(id)])
    const unlock = await database.lock(id.entity, id.key)
    const controller = new AbortController()
    const writing = store.write([row({ ...id, seq: 2 })], { signal: controller.signal })
    await database.oneWaits()
    controller.abort()
    await expect(writing).rejects.toMatchObject({ code: 'aborted' })
    let closed = false
    const closing = store.close().then(() => (closed = true))
    await database.oneWaits()
    expect(closed).toBe(false)
    await unlock()
    await closing
    await using again = database.open()
    expect((await again.load([id]))[0]?.seq).toBe(2)
  })
})

interface Application extends AsyncDisposable {
  change(entity: string, key: string): Promise<void>
  commit(): Promise<void>
}

/** A transaction of an application that survives a deadlock: PostgreSQL ends the one that looks first, MySQL the smaller. */
async function opposite({ name, url }: LiveDatabase): Promise<Application> {
  if (name === 'postgres') {
    const client = new Client({ connectionString: url, application_name: 'test' })
    await client.connect()
    await client.query(`SET deadlock_timeout = '1min'`)
    await client.query('BEGIN')
    return {
      change: async (...id) =>
        void (await client.query('UPDATE keepsake_rows SET updated_at_ms = 7 WHERE entity_key = $1 AND key = $2', id)),
      commit: async () => void (await client.query('COMMIT')),
      [Symbol.asyncDispose]: () => client.end(),
    }
  }
  const client = await createConnection(url)
  await client.query('START TRANSACTION')
  await client.query(
    `INSERT INTO keepsake_rows SELECT 'ballast', seq, seq, '', 0, NULL FROM (WITH RECURSIVE numbers (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM numbers WHERE seq < 500) SELECT seq FROM numbers) AS numbers`,
  )
  return {
    change: async (...id) =>
      void (await client.query('UPDATE keepsake_rows SET updated_at_ms = 7 WHERE entity_key = ? AND `key` = ?', id)),
    commit: async () => void (await client.query('COMMIT')),
    [Symbol.asyncDispose]: () => client.end(),
  }
}
