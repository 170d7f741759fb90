import { openStore } from '@keepsake/core'
import { Cluster, Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { driver } from '../src/driver.ts'
import { redisStore } from '../src/redis-store.ts'

const url = 'redis://127.0.0.1:1'
const lazy = { lazyConnect: true }
const nodes = [{ host: '127.0.0.1', port: 1 }]

test.each([
  ['neither url nor client', {}, /either url or client/],
  ['both', { url, client: new Redis(lazy) }, /either url or client/],
  ['an url that is none', { url: 5 }, /url must be a string; it is a number/],
  ['another scheme', { url: 'postgres://h' }, /redis:\/\//],
  ['a client of another package', { client: { get() {} } }, /client of ioredis; it is an object/],
  ['null as client', { client: null }, /client of ioredis; it is null/],
  ['a client with keyPrefix', { client: new Redis({ ...lazy, keyPrefix: 'x' }) }, /no keyPrefix/],
  [
    'a cluster with keyPrefix',
    { client: new Cluster(nodes, { ...lazy, redisOptions: { keyPrefix: 'x' } }) },
    /no keyPrefix/,
  ],
  [
    'a cluster that reads from replicas',
    { client: new Cluster(nodes, { ...lazy, scaleReads: 'slave' }) },
    /scaleReads/,
  ],
  ['a client that gives numbers as strings', { client: new Redis({ ...lazy, stringNumbers: true }) }, /stringNumbers/],
  ['an empty prefix', { url, prefix: '' }, /prefix must be/],
  ['a prefix with a brace', { url, prefix: 'a{b}' }, /prefix must be/],
  ['a prefix with a star', { url, prefix: 'a*' }, /prefix must be/],
  ['time 0', { url, commandTimeoutMs: 0 }, /commandTimeoutMs/],
  ['half a millisecond', { url, retryTimeoutMs: 0.5 }, /retryTimeoutMs/],
  ['more than timers take', { url, retryTimeoutMs: 2 ** 31 }, /retryTimeoutMs/],
])('%s is refused', (_what, options, message) => {
  const open = (): unknown => redisStore(options as never)
  expect(open).toThrow(message)
  expect(open).toThrow(expect.objectContaining({ code: 'invalid_value' }))
})

test.each(['redis://127.0.0.1:1', 'rediss://127.0.0.1:1', 'redis+cluster://127.0.0.1:1'])(
  'the driver opens %s, and connects no earlier than it is used',
  async (address) => {
    const store = await openStore(address, [driver])
    expect(store.name).toBe('redis')
    expect(store.limits).toEqual({ maxRecBytes: 4_194_304, maxBatchRows: 100, atomicBatch: true })
    await store.close()
    await expect(store.load([{ entity: 'e', key: 'k' }])).rejects.toMatchObject({ code: 'unavailable' })
  },
)
