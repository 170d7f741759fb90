import type { RowStore } from '@keepsake/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { liveDatabases } from './live-database.ts'
import { proxyTo } from './proxy.ts'
import { applied, bytes, row } from './rows.ts'

describe.each(await liveDatabases())('$name', (database) => {
  beforeAll(async () => {
    await database.create()
    await using store = database.open()
    await store.provision()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  test('sessions that an administrator ends between calls are replaced', async () => {
    await using store = database.open()
    const writeAll = (seq: number) =>
      Promise.all(Array.from({ length: 20 }, (_, i) => store.write([row({ entity: 'between', key: String(i), seq })])))
    await writeAll(1)
    expect(await database.killSessions()).toBeGreaterThan(1)
    expect((await writeAll(2)).flat()).toEqual(applied(20))
    expect((await store.scan('between', { limit: 50 })).map(({ seq }) => seq)).toEqual(Array(20).fill(2))
  })

  test('a write whose session is ended while it waits is tried again', async () => {
    await using store = database.open()
    const id = { entity: 'during', key: 'k' }
    await store.write([row(id)])
    const unlock = await database.lock(id.entity, id.key)
    const writing = store.write([row({ ...id, seq: 2 })])
    await database.oneWaits()
    expect(await database.killSessions()).toBe(1)
    // It is waiting again, in another session.
    await database.oneWaits()
    await unlock()
    expect(await writing).toEqual(applied(1))
    expect((await store.load([id]))[0]?.seq).toBe(2)
  })

  test('a batch whose session is ended halfway leaves nothing of the first attempt', async () => {
    await using store = database.open({ retryTimeoutMs: 0 })
    const ids = ['a', 'b', 'c'].map((key) => ({ entity: 'halfway', key }))
    await store.write(ids.map((id) => row(id)))
    const unlock = await database.lock('halfway', 'c')
    const batch = [
      row({ ...ids[0], seq: 2 }),
      row({ ...ids[1], seq: 2, guard: { seq: 1 } }),
      row({ ...ids[2], seq: 2 }),
    ]
    const writing = store.write(batch).catch((error: unknown) => error)
    await database.oneWaits()
    await database.killSessions()
    expect(await writing).toMatchObject({ code: 'unavailable', retryable: true })
    await unlock()
    expect((await store.load(ids)).map((found) => found?.seq)).toEqual([1, 1, 1])
    expect(await store.write(batch)).toEqual(applied(3))
  })

  test('connections that break under writers lose nothing and repeat nothing', async () => {
    await using proxy = await proxyTo(database.url)
    await using store = database.open({ url: proxy.url })
    let done = 0
    async function countUp(counter: string, times: number): Promise<void> {
      for (let step = 1; step <= times; step++) {
        await increment(store, counter, step)
        if (++done % 25 === 0) proxy.cut()
      }
    }
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((counter) => countUp(counter, 50)))
    const rows = await store.scan('counters', { limit: 10 })
    // An increment that was done twice, or whose answer was lost and not recognised, would show here.
    expect(rows.map(({ seq, rec }) => [seq, new TextDecoder().decode(rec)])).toEqual(
      Array.from({ length: 6 }, () => [50, 'step 50']),
    )
  })

  test('calls wait for a server that goes away and comes back, as far as they may', async () => {
    await using proxy = await proxyTo(database.url)
    await using store = database.open({ url: proxy.url })
    await using impatient = database.open({ url: proxy.url, retryTimeoutMs: 50 })
    const id = { entity: 'away', key: 'k' }
    await store.write([row(id)])
    await impatient.load([id])
    await proxy.stop()
    await expect(impatient.load([id])).rejects.toMatchObject({ code: 'unavailable', retryable: true })
    const waiting = [store.load([id]), store.write([row({ ...id, key: 'l' }), row({ ...id, key: 'm' })])]
    await proxy.start()
    expect(await Promise.all(waiting)).toEqual([[expect.objectContaining({ seq: 1 })], applied(2)])
    expect(await impatient.load([id])).toEqual([expect.objectContaining({ seq: 1 })])
  })
})

/** By compare-and-set, which a repeat of a step that was done must pass and a second step of the same number must not. */
async function increment(store: RowStore, counter: string, step: number): Promise<void> {
  const guard = step === 1 ? ('absent' as const) : { seq: step - 1 }
  const write = row({ entity: 'counters', key: counter, seq: step, rec: bytes(`step ${step}`), guard })
  expect(await store.write([write])).toEqual(applied(1))
}
