import { KeepsakeError, describeType } from '@keepsake/core'
import type { Cluster, Redis } from 'ioredis'

interface CommonOptions {
  /** What all keys begin with. Default `keepsake`. */
  prefix?: string
  /** How long one command may take, in milliseconds, before it counts as lost and is sent again. Default 5,000. */
  commandTimeoutMs?: number
  /** How long a call goes on trying while the server cannot be reached, in milliseconds. Default 15,000. */
  retryTimeoutMs?: number
}

/** Where the server is, or a client of your own, which the store never closes. */
export type RedisStoreOptions = CommonOptions &
  (
    | {
        /** `redis://`, `rediss://` or `redis+cluster://HOST:PORT,HOST:PORT`. */
        url: string
        client?: never
      }
    | { client: Redis | Cluster; url?: never }
  )

export interface RedisSettings {
  url: string | undefined
  client: Redis | Cluster | undefined
  prefix: string
  commandTimeoutMs: number
  retryTimeoutMs: number
}

/** Throws `invalid_value` for options that cannot be used. */
export function checkRedisOptions(options: RedisStoreOptions): RedisSettings {
  const { url, client, prefix = 'keepsake', commandTimeoutMs = 5000, retryTimeoutMs = 15_000 } = options
  if ((url === undefined) === (client === undefined)) throw invalid('give either url or client.')
  if (client !== undefined && typeof client.zrangebylex !== 'function') {
    throw invalid(`client must be a client of ioredis; it is ${describeType(client)}.`)
  }
  if (typeof prefix !== 'string' || !/^[\w.:/-]{1,100}$/.test(prefix)) {
    throw invalid('prefix must be 1 to 100 letters, digits and _ . : / - .')
  }
  checkTime('commandTimeoutMs', commandTimeoutMs)
  checkTime('retryTimeoutMs', retryTimeoutMs)
  return { url, client, prefix, commandTimeoutMs, retryTimeoutMs }
}

function checkTime(name: string, ms: unknown): void {
  if (Number.isSafeInteger(ms) && (ms as number) >= 1) return
  throw invalid(`${name} must be a whole number of milliseconds from 1.`)
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', `redisStore: ${message}`)
}
