import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyFreePort, hasRedis, startRedis, type Child } from '@keepsake/services'
import { Redis } from 'ioredis'
import { redisStore, type RedisStore } from '../src/redis-store.ts'
import type { RedisStoreOptions } from '../src/options.ts'

/** A Redis server that is this test's alone: it may be filled, killed and started again. */
export interface OwnServer extends AsyncDisposable {
  readonly port: number
  readonly url: string
  /** A store on it, closed with the server, with times for tests that wait for them. */
  store(options?: Partial<RedisStoreOptions>): RedisStore
  /** A client to look behind the store. */
  readonly admin: Redis
  /** As `kill -9` or another signal does. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Starts it again on the same port and data. */
  start(): Promise<void>
}

/** Redis must be installed where CI is set; elsewhere tests that need a server of their own are skipped. */
export function canStart(): boolean {
  if (!hasRedis() && process.env['CI']) throw new Error('CI must have redis-server.')
  return hasRedis()
}

/** On disk as durable as Redis can be. */
export const DURABLE: readonly string[] = ['--appendonly', 'yes', '--appendfsync', 'always']

export async function ownServer(args: readonly string[] = []): Promise<OwnServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'keepsake-redis-'))
  const port = await anyFreePort()
  const url = `redis://127.0.0.1:${port}`
  let server: Child = await startRedis({ port, dataDir }, args)
  const admin = new Redis({ port, lazyConnect: true, maxRetriesPerRequest: null })
  admin.on('error', () => {})
  const stores: RedisStore[] = []
  return {
    port,
    url,
    admin,
    store(options) {
      const store = redisStore({ url, ...options } as RedisStoreOptions)
      stores.push(store)
      return store
    },
    kill: (signal = 'SIGKILL') => server.stop(signal),
    async start() {
      server = await startRedis({ port, dataDir }, args)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stores.map((store) => store.close()))
      admin.disconnect()
      await server.stop('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
