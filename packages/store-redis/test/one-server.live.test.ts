import { records } from '@keepsake/core'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { again } from './again.ts'
import { canStart, DURABLE, ownServer, type OwnServer } from './own-server.ts'
import { applied, put, texts } from './rows.ts'

describe.skipIf(!canStart())('on a Redis server of its own', () => {
  let server: OwnServer

  beforeAll(async () => {
    server = await ownServer(DURABLE)
  })

  afterAll(() => server[Symbol.asyncDispose]())

  test('scripts that the server forgets, between calls and during them, are sent again', async () => {
    const store = server.store({ prefix: 'flushed' })
    const flushing = again(() => server.admin.script('FLUSH'))
    for (let seq = 1; seq <= 300; seq++) {
      const guard = seq === 1 ? ('absent' as const) : { seq: seq - 1 }
      expect(await store.write([put('chain', seq, `link ${seq}`, guard)])).toEqual([applied])
    }
    expect(await flushing.stop()).toBeGreaterThan(10)
    expect(texts(await store.scan('e', { limit: 9 }))).toEqual(['link 300'])
    expect(await store.removeEntity('e')).toBe(1)
  })

  test('a connection that is killed again and again during writes loses none and counts none twice', async () => {
    const counters = records<number>(server.store({ prefix: 'killed' }), 'counters')
    let kills = 0
    const killing = again(async () => {
      kills += Number(await server.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'))
      // What was cut off connects again and gets somewhere, before the next one.
      for (let i = 0; i < 100; i++) await server.admin.ping()
    })
    const counting = Array.from({ length: 8 }, async () => {
      for (let i = 0; i < 25; i++) await counters.update(['n'], (n = 0) => n + 1)
    })
    await Promise.all(counting)
    await killing.stop()
    expect(kills).toBeGreaterThan(3)
    expect((await counters.get(['n']))?.value).toBe(200)
  })

  test('a server that is killed with -9 and started again, five times during writes, keeps what it acknowledged', async () => {
    const store = server.store({ prefix: 'restarted' })
    const counters = records<number>(store, 'counters')
    const writers = Array.from({ length: 4 }, (_, writer) =>
      again(async (seq) => {
        const guard = seq === 1 ? ('absent' as const) : { seq: seq - 1 }
        expect(await store.write([put(`w${writer}`, seq, `${seq}`, guard)])).toEqual([applied])
      }),
    )
    const counting = again(() => counters.update(['n'], (n = 0) => n + 1))
    for (let kill = 1; kill <= 5; kill++) {
      await counting.more(20)
      await server.kill()
      await server.start()
    }
    const written = await Promise.all(writers.map((writer) => writer.stop()))
    const counted = await counting.stop()
    expect((await store.scan('e', { limit: 9 })).map(({ seq }) => seq)).toEqual(written)
    expect((await counters.get(['n']))?.value).toBe(counted)
    expect(await store.entities({ limit: 9 })).toContain('e')
  })

  test('64 writers that count in one row by compare-and-set count every step once', async () => {
    const counters = records<number>(server.store({ prefix: 'many' }), 'counters')
    await Promise.all(Array.from({ length: 64 }, () => counters.update(['n'], (n = 0) => n + 1)))
    expect((await counters.get(['n']))?.value).toBe(64)
  })

  test('64 writers with a store each, all at once, on a hundred rows: the highest seq stays in each', async () => {
    const stores = Array.from({ length: 64 }, () => server.store({ prefix: 'stores' }))
    const keys = Array.from({ length: 100 }, (_, i) => `k${String(i).padStart(3, '0')}`)
    await Promise.all(stores.map((store, i) => store.write(keys.map((key) => put(key, i, `${i}`)))))
    expect(texts(await stores[0]!.scan('e', { limit: 200 }))).toEqual(keys.map(() => '63'))
    await Promise.all(stores.map((store) => store.close()))
  })

  test('a call of 10,000 rows, of one entity and of 10,000', async () => {
    const store = server.store({ prefix: 'batch' })
    const rows = Array.from({ length: 10_000 }, (_, i) => put(`k${String(i).padStart(5, '0')}`, i, `${i}`))
    expect(await store.write(rows)).toEqual(rows.map(() => applied))
    expect((await store.scan('e', { limit: 20_000 })).map(({ seq }) => seq)).toEqual(rows.map(({ seq }) => seq))
    expect((await store.load(rows)).map((row) => row?.seq)).toEqual(rows.map(({ seq }) => seq))

    const spread = rows.map((row, i) => ({ ...row, entity: `e${String(i).padStart(5, '0')}` }))
    expect(await store.write(spread)).toEqual(rows.map(() => applied))
    expect(await store.entities({ prefix: 'e0', limit: 20_000 })).toEqual(spread.map(({ entity }) => entity))
    expect(await store.remove(spread)).toBe(10_000)
    expect(await store.entities({ limit: 20_000 })).toEqual(['e'])
  })

  test('forty of the largest records, in one call and read by one scan', async () => {
    const store = server.store({ prefix: 'large' })
    const rec = new Uint8Array(store.limits.maxRecBytes).map((_, i) => (i * 7) % 251)
    const rows = Array.from({ length: 40 }, (_, i) => ({ ...put(`k${String(i).padStart(2, '0')}`, 1, ''), rec }))
    expect(await store.write(rows)).toEqual(rows.map(() => applied))
    const read = await store.scan('e', { limit: 100 })
    expect(read.map(({ key }) => key)).toEqual(rows.map(({ key }) => key))
    expect(read.every((row) => Buffer.compare(row.rec, rec) === 0)).toBe(true)
    expect(await store.removeEntity('e')).toBe(40)
  })

  test('a client that was passed in works on after its store was closed', async () => {
    const client = new Redis({ port: server.port })
    const store = server.store({ url: undefined, client, prefix: 'given' } as never)
    await store.write([put('k', 1, 'x')])
    await store.close()
    expect(await client.ping()).toBe('PONG')
    const next = server.store({ url: undefined, client, prefix: 'given' } as never)
    expect(texts(await next.load([{ entity: 'e', key: 'k' }]))).toEqual(['x'])
    client.disconnect()
  })

  test('a client that was closed by its owner is unavailable at once', async () => {
    const client = new Redis({ port: server.port })
    const store = server.store({ url: undefined, client } as never)
    await store.load([{ entity: 'e', key: 'k' }])
    await client.quit()
    await expect(store.load([{ entity: 'e', key: 'k' }])).rejects.toMatchObject({
      code: 'unavailable',
      retryable: false,
      message: expect.stringContaining('was closed') as string,
    })
  })

  test('taking down one prefix leaves other prefixes and the keys of others', async () => {
    const [ours, longer] = [server.store({ prefix: 'down' }), server.store({ prefix: 'down:more' })]
    await ours.write([put('k', 1, 'x'), put('k', 1, 'x', undefined, '}{%')])
    await longer.write([put('k', 1, 'y')])
    await server.admin.set('down:sessions', '1')
    await ours.provision({ down: true })
    expect(
      await server.admin.keys('down:*').then((keys) => keys.filter((key) => !key.startsWith('down:more'))),
    ).toEqual(['down:sessions'])
    expect(texts(await longer.scan('e', { limit: 9 }))).toEqual(['y'])
    expect(await longer.entities({ limit: 9 })).toEqual(['e'])
  })

  test.each([
    ['small', 10],
    ['large', 20_000],
  ])('each page of a scan of %s records is one state, while batches are written', async (_size, bytes) => {
    const store = server.store({ prefix: `pages-${bytes}` })
    const rec = new Uint8Array(bytes)
    // Each batch adds 20 keys among the others, and then those of the batch before it are removed.
    const writing = again(async (seq) => {
      await store.write(batchKeys(seq).map((key) => ({ ...put(key, seq, ''), rec })))
      await store.remove(batchKeys(seq - 1).map((key) => ({ entity: 'e', key })))
    })
    await writing.more(1)
    const seen = new Set<number>()
    for (let page = 0; page < 200; page++) {
      const seqs = (await store.scan('e', { limit: 100 })).map(({ seq }) => seq)
      const newest = Math.max(...seqs)
      expect(seqs.filter((seq) => seq === newest)).toHaveLength(20)
      seen.add(newest)
    }
    expect(seen.size).toBeGreaterThan(20)
    await writing.stop()
    await store.removeEntity('e')
  })
})

function batchKeys(seq: number): string[] {
  return Array.from({ length: 20 }, (_, row) => `k${String(row * 100 + (seq % 100)).padStart(4, '0')}`)
}
