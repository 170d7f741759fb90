import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Cluster, Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import type { RedisStoreOptions } from '../src/options.ts'
import { redisStore, type RedisStore } from '../src/redis-store.ts'
import { silentServer } from './proxy.ts'
import { put } from './rows.ts'

const calls: [method: string, call: (store: RedisStore) => Promise<unknown>][] = [
  ['load', (store) => store.load([{ entity: 'e', key: 'k' }])],
  ['scan', (store) => store.scan('e', { limit: 1 })],
  ['entities', (store) => store.entities({ limit: 1 })],
  ['write', (store) => store.write([put('k', 1, 'x'), put('l', 1, 'x', undefined, 'f')])],
  ['remove', (store) => store.remove([{ entity: 'e', key: 'k' }])],
  ['removeEntity', (store) => store.removeEntity('e')],
  ['provision down', (store) => store.provision({ down: true })],
  ['verify', (store) => store.verify({ repair: true })],
]

const sources: [what: string, (port: number) => Pick<RedisStoreOptions, 'url' | 'client'>][] = [
  ['an address', (port) => ({ url: `redis://127.0.0.1:${port}` })],
  ['an address with TLS', (port) => ({ url: `rediss://127.0.0.1:${port}` })],
  ['an address of a cluster', (port) => ({ url: `redis+cluster://127.0.0.1:${port},127.0.0.1:${port}` })],
  ['a client that retries for ever', (port) => ({ client: new Redis({ port, maxRetriesPerRequest: null }) })],
  ['a client without an offline queue', (port) => ({ client: new Redis({ port, enableOfflineQueue: false }) })],
  ['a cluster client', (port) => ({ client: new Cluster([{ host: '127.0.0.1', port }]) })],
]

const times = { commandTimeoutMs: 100, retryTimeoutMs: 200 }

describe.each(sources)('by %s', (_what, sourceOf) => {
  describe.each([
    ['a port where nobody listens', false],
    ['a server that says nothing', true],
  ])('on %s', (_where, listens) => {
    test('every call ends in time, as unavailable and worth another try', async () => {
      await using silent = await silentServer()
      if (!listens) await silent[Symbol.asyncDispose]()
      const source = sourceOf(silent.port)
      source.client?.on('error', () => {})
      const store = redisStore({ ...source, ...times } as RedisStoreOptions)
      const begun = performance.now()
      const ended = await Promise.allSettled(calls.map(([, call]) => call(store)))
      const took = performance.now() - begun
      for (const [i, end] of ended.entries()) {
        expect([calls[i]![0], end]).toMatchObject([
          calls[i]![0],
          { status: 'rejected', reason: { code: 'unavailable', retryable: true } },
        ])
      }
      expect(took).toBeLessThan(3000)
      await store.close()
      source.client?.disconnect()
    })
  })

  test('an abort ends a call at once', async () => {
    await using silent = await silentServer()
    const source = sourceOf(silent.port)
    source.client?.on('error', () => {})
    const store = redisStore({ ...source } as RedisStoreOptions)
    const begun = performance.now()
    const call = store.load([{ entity: 'e', key: 'k' }], { signal: AbortSignal.timeout(50) })
    await expect(call).rejects.toMatchObject({ code: 'aborted' })
    // Without it, it would go on for 15 seconds.
    expect(performance.now() - begun).toBeLessThan(2000)
    await store.close()
    source.client?.disconnect()
  })
})

test.each([
  ['redis://127.0.0.1:1', 'unavailable'],
  ['redis+cluster://127.0.0.1:1', 'unavailable'],
])('a process that closed its store of %s ends by itself', async (url, code) => {
  const program = `
    import { redisStore } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)}
    const store = redisStore({ url: '${url}', commandTimeoutMs: 100, retryTimeoutMs: 200 })
    await store.load([{ entity: 'e', key: 'k' }]).catch((error) => console.log(error.code))
    await store.close()`
  const args = ['--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 10_000 })
  expect(stdout).toBe(`${code}\n`)
})
