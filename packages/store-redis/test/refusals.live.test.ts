import { inspect } from 'node:util'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redisStore } from '../src/redis-store.ts'
import { canStart, ownServer, type OwnServer } from './own-server.ts'
import { applied, put, texts } from './rows.ts'

describe.skipIf(!canStart())('a Redis server that refuses', () => {
  let server: OwnServer

  beforeAll(async () => {
    server = await ownServer()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('a wrong password, and none where one is wanted, are refused at once and never shown', async () => {
    await using locked = await ownServer(['--requirepass', 'open sesame'])
    for (const login of ['', ':hunter2@', 'ann:hunter2@']) {
      await using store = redisStore({ url: `redis://${login}127.0.0.1:${locked.port}` })
      const begun = performance.now()
      const error: unknown = await store.write([put('k', 1, 'my diary')]).catch((reason: unknown) => reason)
      expect(error).toMatchObject(refused('user or the password'))
      expect(performance.now() - begun).toBeLessThan(2000)
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/hunter2|diary/)
    }
    await using store = redisStore({ url: `redis://:open%20sesame@127.0.0.1:${locked.port}` })
    expect(await store.write([put('k', 1, 'x')])).toEqual([applied])
  })

  test('a user with the rights that the README lists can do all, and one without writing learns what is wrong', async () => {
    const commands =
      'eval evalsha hget hset hdel hmget hincrby del exists zadd zrem zcard zrangebylex unlink time scan info hello ping'
    const allowed = commands.split(' ').map((name) => `+${name}`)
    await server.admin.acl('SETUSER', 'app', 'on', '>pw', '~mine:*', '-@all', ...allowed)
    await using store = redisStore({ url: `redis://app:pw@127.0.0.1:${server.port}`, prefix: 'mine' })
    await store.write([put('k', 1, 'x'), put('l', 1, 'y')])
    expect(texts(await store.scan('e', { limit: 9 }))).toEqual(['x', 'y'])
    expect(texts(await store.load([{ entity: 'e', key: 'l' }]))).toEqual(['y'])
    expect(await store.remove([{ entity: 'e', key: 'k' }])).toBe(1)
    expect(await store.entities({ limit: 9 })).toEqual(['e'])
    await store.verify({ repair: true })
    expect(await store.removeEntity('e')).toBe(1)
    await store.provision({ down: true })

    await server.admin.acl('SETUSER', 'reader', 'on', '>pw', '~mine:*', '+@all', '-eval', '-evalsha')
    await using reader = redisStore({ url: `redis://reader:pw@127.0.0.1:${server.port}`, prefix: 'mine' })
    await expect(reader.write([put('k', 1, 'x')])).rejects.toMatchObject(refused('lacks a right'))
  })

  test('a database that does not exist is refused, and nothing lands in another', async () => {
    await using store = redisStore({ url: `${server.url}/99`, prefix: 'lost' })
    const call = store.write([put('k', 1, 'x')])
    await expect(call).rejects.toMatchObject({
      code: 'invalid_value',
      message: expect.stringContaining('database') as string,
    })
    expect(await server.admin.keys('lost:*')).toEqual([])
  })

  test('databases are apart', async () => {
    await using store = redisStore({ url: `${server.url}/5`, prefix: 'db' })
    await store.write([put('k', 1, 'x')])
    expect(await server.admin.keys('db:*')).toEqual([])
    const five = new Redis({ port: server.port, db: 5 })
    expect(await five.exists('db:{e:e}:r')).toBe(1)
    five.disconnect()
  })

  test.each(['allkeys-lru', 'allkeys-lfu', 'allkeys-random'])(
    'verify refuses the evicting policy %s',
    async (policy) => {
      await using store = redisStore({ url: server.url })
      await server.admin.config('SET', 'maxmemory-policy', policy)
      await expect(store.verify()).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining(`maxmemory-policy is ${policy}`) as string,
      })
      await server.admin.config('SET', 'maxmemory-policy', 'volatile-lru')
      await store.verify()
      await server.admin.config('SET', 'maxmemory-policy', 'noeviction')
      await store.verify()
    },
  )

  test('verify refuses a replica, and a write to one ends in time', async () => {
    await using replica = await ownServer(['--replicaof', '127.0.0.1', String(server.port)])
    await using store = redisStore({ url: replica.url, retryTimeoutMs: 200 })
    await expect(store.verify()).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('replica') as string,
    })
    await expect(store.write([put('k', 1, 'x')])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('replica') as string,
    })
  })

  test('a server out of memory refuses whole batches, keeps what it has, and takes writes again', async () => {
    await using full = await ownServer()
    const store = full.store()
    const rec = new Uint8Array(100_000).fill(1)
    await store.write([put('small', 1, 'x')])
    await full.admin.config('SET', 'maxmemory', '4mb')
    const write = (batch: number) =>
      store.write(Array.from({ length: 5 }, (_, i) => ({ ...put(`${batch}/${i}`, 1, ''), rec })))
    let batches = 0
    const fill = async (): Promise<void> => {
      for (; ; batches++) await write(batches)
    }
    await expect(fill()).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
      message: expect.stringContaining('out of memory') as string,
    })
    expect(batches).toBeGreaterThan(0)
    expect(await store.scan('e', { limit: 1000 })).toHaveLength(1 + 5 * batches)
    await full.admin.config('SET', 'maxmemory', '0')
    expect(await write(batches)).toEqual(Array.from({ length: 5 }, () => applied))
  })

  test('a server that loads its data is waited for', async () => {
    await using slow = await ownServer(['--appendonly', 'yes'])
    const store = slow.store()
    await store.write([put('k', 1, 'x')])
    // Enough that loading takes a moment; the server is asked while it does.
    await slow.admin.eval("for i = 1, 300000 do redis.call('SET', 'x' .. i, 'y') end", 0)
    await slow.kill('SIGTERM')
    const reading = store.load([{ entity: 'e', key: 'k' }])
    await slow.start()
    expect(texts(await reading)).toEqual(['x'])
  })
})

function refused(text: string): object {
  return { code: 'unavailable', retryable: false, message: expect.stringContaining(text) as string }
}
