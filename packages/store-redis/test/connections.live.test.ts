import { once } from 'node:events'
import { connect } from 'node:net'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { redisStore } from '../src/redis-store.ts'
import { canStart, ownServer, type OwnServer } from './own-server.ts'
import { proxyTo } from './proxy.ts'
import { applied, put, texts } from './rows.ts'

describe.skipIf(!canStart())('on a way to a Redis server that fails', () => {
  let server: OwnServer
  let prefix = ''

  beforeAll(async () => {
    server = await ownServer()
  })
  beforeEach(({ task }) => {
    prefix = `test-${task.id}`
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test.each([1, 2, 3, 4])(
    'whichever answer to the first write of an entity is lost, it is written once and listed (%i)',
    async (n) => {
      await using proxy = await proxyTo(server.port)
      await using store = redisStore({ url: proxy.url, prefix })
      await store.load([put('k', 1, '')])
      proxy.cutBeforeAnswer(n)
      expect(await store.write([put('k', 1, 'x', 'absent')])).toEqual([applied])
      expect(await store.entities({ limit: 9 })).toEqual(['e'])
      expect(texts(await store.scan('e', { limit: 9 }))).toEqual(['x'])
    },
  )

  test.each([1, 2, 3])(
    'whichever answer to the last removal of an entity is lost, it is off the list (%i)',
    async (n) => {
      await using proxy = await proxyTo(server.port)
      await using store = redisStore({ url: proxy.url, prefix })
      await store.write([put('k', 1, 'x')])
      proxy.cutBeforeAnswer(n)
      await store.removeEntity('e')
      expect(await store.entities({ limit: 9 })).toEqual([])
      expect(await server.admin.keys(`${prefix}:*`)).toEqual([])
    },
  )

  test('what the network delivers once more, after a newer write, changes nothing', async () => {
    await using proxy = await proxyTo(server.port)
    await using store = redisStore({ url: proxy.url, prefix })
    await store.write([put('k', 1, 'one')])
    for (const guard of [{ seq: 1 }, 'monotonic', 'absent'] as const) {
      const taken = proxy.record()
      await store.write([put('k', 2, 'two', guard)])
      const sent = taken()
      await store.write([put('k', 3, 'three')])
      const late = connect(server.port, '127.0.0.1')
      late.write(sent)
      const [answer] = (await once(late, 'data')) as [Buffer]
      late.destroy()
      // An array of one answer: stale, as seq 3 is stored.
      expect(String(answer)).toBe('*1\r\n:3\r\n')
      expect(texts(await store.load([{ entity: 'e', key: 'k' }]))).toEqual(['three'])
      await store.remove([{ entity: 'e', key: 'k' }])
      await store.write([put('k', 1, 'one')])
    }
  })

  test('a connection that carries nothing any more is given up, and the next one is used', async () => {
    await using proxy = await proxyTo(server.port)
    await using store = redisStore({ url: proxy.url, prefix, commandTimeoutMs: 300 })
    await store.write([put('k', 1, 'one')])
    proxy.hang()
    const begun = performance.now()
    const calls = [
      store.write([put('k', 2, 'two', { seq: 1 })]),
      store.entities({ limit: 9 }),
      store.load([put('k', 1, '')]),
    ]
    const [written, entities] = await Promise.all(calls)
    expect(written).toEqual([applied])
    expect(entities).toEqual(['e'])
    expect(performance.now() - begun).toBeLessThan(5000)
  })

  test('a server that was made a replica, behind a name that leads to the new master, is left for it', async () => {
    await using other = await ownServer()
    await using proxy = await proxyTo(server.port)
    await using store = redisStore({ url: proxy.url, prefix })
    await store.write([put('k', 1, 'one')])
    await other.admin.replicaof('127.0.0.1', server.port)
    while (!(await other.admin.info('replication')).includes('master_link_status:up')) await other.admin.ping()
    await server.admin.wait(1, 5000)
    await other.admin.replicaof('NO', 'ONE')
    await server.admin.replicaof('127.0.0.1', other.port)
    proxy.target = other.port
    expect(await store.write([put('k', 2, 'two', { seq: 1 })])).toEqual([applied])
    expect(await other.admin.hget(`${prefix}:{e:e}:s`, 'k')).toBe('2')
    await server.admin.replicaof('NO', 'ONE')
  })

  const clients: [string, object][] = [
    ['that retries for ever', { maxRetriesPerRequest: null }],
    ['without an offline queue', { enableOfflineQueue: false }],
    ['with its own command timeout', { commandTimeout: 100 }],
    ['that resends nothing', { autoResendUnfulfilledCommands: false }],
    ['with automatic pipelines', { enableAutoPipelining: true }],
    ['of the protocol RESP2', { protocol: 2 }],
    ['that maps replies', { replyMapping: 'resp3' }],
  ]
  test.each(clients)('a client of the caller’s %s works, and survives a cut', async (_what, options) => {
    await using proxy = await proxyTo(server.port)
    const client = new Redis(proxy.url, { ...options, retryStrategy: () => 20 })
    client.on('error', () => {})
    await using store = redisStore({ client, prefix, commandTimeoutMs: 300 })
    for (let seq = 1; seq <= 30; seq++) {
      if (seq % 7 === 0) proxy.cutBeforeAnswer((seq % 3) + 1)
      expect(await store.write([put('k', seq, `${seq}`, seq === 1 ? 'absent' : { seq: seq - 1 })])).toEqual([applied])
      expect(texts(await store.scan('e', { limit: 2 }))).toEqual([`${seq}`])
    }
    expect(await store.entities({ limit: 9 })).toEqual(['e'])
    client.disconnect()
  })
})
