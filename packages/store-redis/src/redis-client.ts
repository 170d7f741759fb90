import { setTimeout as sleep } from 'node:timers/promises'
import { KeepsakeError, throwIfAborted, type CallOptions } from '@keepsake/core'
import type { Cluster, Redis } from 'ioredis'
import { connect } from './connect.ts'
import type { RedisSettings } from './options.ts'
import { isNoScript, isPassing, toKeepsakeError } from './redis-errors.ts'
import type { Script } from './scripts.ts'

export type Reply = number | Buffer | null

/** The connection as the store uses it: commands are bounded in time and sent again while that helps. */
export interface RedisClient {
  /** Runs a script; where the server has forgotten it, sends it anew. */
  run(
    script: Script,
    keys: readonly string[],
    args: readonly (string | Uint8Array)[],
    options?: CallOptions,
  ): Promise<Reply[]>
  /** Sends other commands. */
  send<T>(command: (client: Redis | Cluster) => Promise<T>, options?: CallOptions): Promise<T>
  /** The servers that take writes: one, or a cluster's. */
  masters(options?: CallOptions): Promise<Redis[]>
  /** A call of the store: refused after `close`, which waits for those that have begun. */
  call<T>(options: CallOptions | undefined, work: () => Promise<T>): Promise<T>
  /** Waits for what is under way. */
  close(): Promise<void>
}

/** What ioredis has for scripts whose answers are bytes; its types leave it out for clusters. */
interface ScriptRunner {
  evalshaBuffer(sha: string, keyCount: number, ...args: (string | Buffer)[]): Promise<Reply[]>
  evalBuffer(lua: string, keyCount: number, ...args: (string | Buffer)[]): Promise<Reply[]>
}

const FIRST_WAIT_MS = 20
const LONGEST_WAIT_MS = 500

export function redisClient({ url, client: given, commandTimeoutMs, retryTimeoutMs }: RedisSettings): RedisClient {
  const client = given ?? connect(url!)
  const underWay = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  function call<T>(options: CallOptions | undefined, work: () => Promise<T>): Promise<T> {
    if (closing !== undefined) throw new KeepsakeError('unavailable', 'This Redis store was closed; open a new one.')
    throwIfAborted(options?.signal)
    const begun = work()
    underWay.add(begun)
    return begun.finally(() => underWay.delete(begun))
  }

  async function attempts<T>(
    command: (client: Redis | Cluster) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const timeUp = AbortSignal.timeout(retryTimeoutMs)
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        return await withTimeout(command(client), commandTimeoutMs, signal)
      } catch (error) {
        if (!isPassing(error) || timeUp.aborted) throw toKeepsakeError(error)
      }
      await sleep(waitMs)
      throwIfAborted(signal)
    }
  }

  function send<T>(command: (client: Redis | Cluster) => Promise<T>, options?: CallOptions): Promise<T> {
    return attempts(command, options?.signal)
  }

  async function shut(): Promise<void> {
    await Promise.allSettled(underWay)
    if (given !== undefined) return
    // A connection that is gone cannot say goodbye.
    await withTimeout(client.quit(), 1000, undefined).catch(() => {})
    client.disconnect()
  }

  return {
    call,
    send,

    run(script, keys, args, options) {
      const values = args.map((arg) =>
        typeof arg === 'string' ? arg : Buffer.from(arg.buffer, arg.byteOffset, arg.byteLength),
      )
      return send(async (connection) => {
        const scripts = connection as unknown as ScriptRunner
        try {
          return await scripts.evalshaBuffer(script.sha, keys.length, ...keys, ...values)
        } catch (error) {
          if (!isNoScript(error)) throw error
          return await scripts.evalBuffer(script.lua, keys.length, ...keys, ...values)
        }
      }, options)
    },

    async masters(options) {
      if (!isCluster(client)) return [client]
      // The list of servers is there once the first command has been answered.
      await send((connection) => connection.exists('keepsake'), options)
      return client.nodes('master')
    },

    close() {
      closing ??= shut()
      return closing
    },
  }
}

/** Rejects when the time is up or the signal fires, whatever becomes of the command. */
async function withTimeout<T>(command: Promise<T>, timeoutMs: number, signal: AbortSignal | undefined): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('Command timed out')), timeoutMs)
  const onAbort = (): void => {
    try {
      throwIfAborted(signal)
    } catch (error) {
      reject(error)
    }
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  // A command that loses the race may fail later, when nobody waits for it.
  command.catch(() => {})
  try {
    return await Promise.race([command, promise])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** By its mark and not by its class, which a client from another copy of ioredis does not have. */
function isCluster(client: Redis | Cluster): client is Cluster {
  return client.isCluster
}
