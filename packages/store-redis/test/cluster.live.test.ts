import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { records } from '@keepsake/core'
import { ask, freePorts, startRedisCluster, type RedisCluster } from '@keepsake/services'
import { Cluster, type Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entityKeys } from '../src/keys.ts'
import { redisStore } from '../src/redis-store.ts'
import { again } from './again.ts'
import { canStart } from './own-server.ts'
import { applied, put, texts } from './rows.ts'

describe.skipIf(!canStart())('on a Redis Cluster of its own, three masters with a replica each', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'keepsake-cluster-'))
  let port = 0
  let cluster: RedisCluster
  let client: Cluster

  beforeAll(async () => {
    port = await freePorts(21_000, 12)
    cluster = await startRedisCluster({ port, dataDir, nodeTimeoutMs: 2000 })
    client = new Cluster([{ host: '127.0.0.1', port }], { slotsRefreshInterval: 500 })
    await client.ping()
  })
  afterAll(async () => {
    client.disconnect()
    await cluster.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const url = (): string => `redis+cluster://127.0.0.1:${port + 1},127.0.0.1:${port + 2}`
  const nodeAt = (at: number): Redis => client.nodes('all').find(({ options }) => options.port === at)!

  /** The port of the master that has the rows of an entity now. */
  async function masterOf(prefix: string, entity: string): Promise<number> {
    const slot = await client.cluster('KEYSLOT', entityKeys(prefix, entity)[0])
    const range = (await client.cluster('SLOTS')).find(([from, to]) => from <= slot && slot <= to)!
    return range[2]![1]
  }

  test('a Cluster client that was passed in works on after its store was closed', async () => {
    const store = redisStore({ client, prefix: 'given' })
    expect(await store.write([put('k', 1, 'x', 'absent')])).toEqual([applied])
    await store.close()
    expect(await client.ping()).toBe('PONG')
    await using next = redisStore({ client, prefix: 'given' })
    expect(texts(await next.scan('e', { limit: 9 }))).toEqual(['x'])
    await next.verify({ repair: true })
    await next.provision({ down: true })
    expect(await next.entities({ limit: 9 })).toEqual([])
  })

  test('rows of many entities lie on every master, and repair and taking down reach all', async () => {
    await using store = redisStore({ url: url(), prefix: 'spread' })
    const names = Array.from({ length: 300 }, (_, i) => `e${String(i).padStart(3, '0')}`)
    await store.write(names.map((entity) => put('k', 1, 'x', undefined, entity)))
    const masters = new Set(await Promise.all(names.map((entity) => masterOf('spread', entity))))
    expect(masters.size).toBe(3)
    await Promise.all(Array.from({ length: 16 }, (_, shard) => client.unlink(`spread:entities:${shard}`)))
    await store.verify({ repair: true })
    expect(await store.entities({ limit: 1000 })).toEqual(names)
    await store.provision({ down: true })
    await Promise.all(client.nodes('master').map(async (node) => expect(await node.keys('spread:*')).toEqual([])))
  })

  test('a server of a cluster that is opened as one server says so', async () => {
    await using store = redisStore({ url: `redis://127.0.0.1:${port}` })
    await expect(store.verify()).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('redis+cluster') as string,
    })
    const elsewhere = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((entity) => store.load([{ entity, key: 'k' }]))
    const refused = (await Promise.allSettled(elsewhere)).filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    for (const refusal of refused) expect(refusal).toMatchObject({ reason: { code: 'unsupported' } })
  })

  test('slots that move to another master during writes take the writes with them', async () => {
    await using store = redisStore({ url: url(), prefix: 'moved' })
    const counters = records<number>(store, 'counters')
    await counters.put(['n'], 0)
    const [entity] = await store
      .entities({ limit: 9 })
      .then((found) => found.filter((name) => name.includes('counters')))
    const [key] = entityKeys('moved', entity!)
    const slot = await client.cluster('KEYSLOT', key)
    const from = nodeAt(await masterOf('moved', entity!))
    const to = client.nodes('master').find((node) => node !== from)!
    const [fromId, toId] = [await from.cluster('MYID'), await to.cluster('MYID')] as [string, string]
    const counting = again(() => counters.update(['n'], (n = 0) => n + 1))
    await to.cluster('SETSLOT', slot, 'IMPORTING', fromId)
    await from.cluster('SETSLOT', slot, 'MIGRATING', toId)
    await counting.more(5)
    for (;;) {
      const keys = await from.cluster('GETKEYSINSLOT', slot, 10)
      if (keys.length === 0) break
      await from.call('MIGRATE', '127.0.0.1', String(to.options.port), '', '0', '5000', 'KEYS', ...keys)
    }
    for (const node of [to, from]) await node.cluster('SETSLOT', slot, 'NODE', toId)
    await counting.more(20)
    const counted = await counting.stop()
    expect((await counters.get(['n']))?.value).toBe(counted)
    expect(await masterOf('moved', entity!)).toBe(to.options.port)
  })

  test('a master that hangs is left for the one that replaces it', async () => {
    await using store = redisStore({ url: url(), prefix: 'hangs', commandTimeoutMs: 500, retryTimeoutMs: 30_000 })
    await store.write([put('k', 1, 'one')])
    const master = await masterOf('hangs', 'e')
    expect(await nodeAt(master).wait(1, 5000)).toBeGreaterThanOrEqual(0)
    const { pid } = cluster.nodes.get(master)!
    process.kill(pid, 'SIGSTOP')
    try {
      expect(await store.write([put('k', 2, 'two')])).toEqual([applied])
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    expect(texts(await store.load([{ entity: 'e', key: 'k' }]))).toEqual(['two'])
    while (!(await ask(master, 'info', 'replication'))?.includes('master_link_status:up')) await client.ping()
  })

  test('a master that is killed with -9 is replaced: what its replica had is there, and no answer was a lie', async () => {
    await using store = redisStore({ url: url(), prefix: 'failover', retryTimeoutMs: 30_000 })
    const master = await masterOf('failover', 'e')
    // What a replica has acknowledged too survives. WAIT is asked on the connection that wrote.
    await using waiting = redisStore({ client, prefix: 'failover' })
    const kept = Array.from({ length: 50 }, (_, i) => put(`kept${String(i).padStart(2, '0')}`, 1, `${i}`))
    expect(await waiting.write(kept)).toEqual(kept.map(() => applied))
    expect(await nodeAt(master).wait(1, 5000)).toBe(1)

    let latest = 0
    // A chain of compare-and-sets by one writer, who goes on from what is stored where Redis lost the newest links.
    const writing = again(async () => {
      const guard = latest === 0 ? ('absent' as const) : { seq: latest }
      const [result] = await store.write([put('chain', latest + 1, `${latest + 1}`, guard)])
      if (result!.status === 'applied') latest++
      else {
        // Stale is said only of links that are gone, never of one that is stored.
        expect(result!.seq).toBeLessThan(latest)
        latest = Math.max(0, result!.seq)
      }
    })
    await writing.more(200)
    await cluster.nodes.get(master)!.stop('SIGKILL')
    await writing.more(200)
    await writing.stop()

    expect(await masterOf('failover', 'e')).not.toBe(master)
    expect(texts(await store.load([...kept, { entity: 'e', key: 'chain' }]))).toEqual([
      ...kept.map((_, i) => `${i}`),
      `${latest}`,
    ])
  })
})
