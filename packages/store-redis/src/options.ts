import { KeepsakeError, describeType } from '@keepsake/core'
import type { Cluster, Redis } from 'ioredis'
import { parseRedisAddress, type RedisAddress } from './address.ts'

interface CommonOptions {
  /** What all keys begin with. Default `keepsake`. */
  prefix?: string
  /**
   * How long one command may take, in milliseconds, before it counts as lost and is sent again; a second more for every
   * 10 MB that it sends. Default 5,000.
   */
  commandTimeoutMs?: number
  /** How long a call goes on trying after its first failure, in milliseconds, then it rejects. Default 15,000. */
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
    | {
        /** A client of ioredis without `keyPrefix`, `stringNumbers` and reading from replicas. */
        client: Redis | Cluster
        url?: never
      }
  )

export interface RedisSettings {
  source: RedisAddress | Redis | Cluster
  prefix: string
  commandTimeoutMs: number
  retryTimeoutMs: number
}

/** Throws `invalid_value` for options that cannot be used. */
export function checkRedisOptions(options: RedisStoreOptions): RedisSettings {
  const { url, client, prefix = 'keepsake', commandTimeoutMs = 5000, retryTimeoutMs = 15_000 } = options
  if ((url === undefined) === (client === undefined)) throw invalid('give either url or client.')
  if (typeof prefix !== 'string' || !/^[\w.:/-]{1,100}$/.test(prefix)) {
    throw invalid('prefix must be 1 to 100 letters, digits and _ . : / - .')
  }
  checkTime('commandTimeoutMs', commandTimeoutMs)
  checkTime('retryTimeoutMs', retryTimeoutMs)
  return {
    source: client === undefined ? addressOf(url) : checkedClient(client),
    prefix,
    commandTimeoutMs,
    retryTimeoutMs,
  }
}

function addressOf(url: unknown): RedisAddress {
  if (typeof url !== 'string') throw invalid(`url must be a string; it is ${describeType(url)}.`)
  return parseRedisAddress(url)
}

/** By what it can do and not by its class, which a client from another copy of ioredis does not have. */
function checkedClient(client: Redis | Cluster): Redis | Cluster {
  if (typeof (client as Partial<Redis> | null)?.zrangebylex !== 'function') {
    throw invalid(`client must be a client of ioredis; it is ${describeType(client)}.`)
  }
  const { keyPrefix, scaleReads = 'master', stringNumbers, redisOptions } = { ...client.options } as ClientOptions
  if (keyPrefix) throw invalid('client must have no keyPrefix; use the option prefix of the store.')
  if (scaleReads !== 'master') throw invalid("client must read from masters: scaleReads must be 'master'.")
  if (stringNumbers || redisOptions?.stringNumbers) throw invalid('client must not have stringNumbers.')
  return client
}

interface ClientOptions {
  keyPrefix?: string
  scaleReads?: unknown
  stringNumbers?: boolean
  redisOptions?: { stringNumbers?: boolean }
}

function checkTime(name: string, ms: unknown): void {
  if (Number.isSafeInteger(ms) && (ms as number) >= 1 && (ms as number) <= MAX_TIMER_MS) return
  throw invalid(`${name} must be a whole number of milliseconds from 1 to ${MAX_TIMER_MS}.`)
}

/** The longest that a timer of Node's waits; above that it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', `redisStore: ${message}`)
}
