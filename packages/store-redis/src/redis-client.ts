import { setTimeout as sleep } from 'node:timers/promises'
import { KeepsakeError, throwIfAborted, type CallOptions } from '@keepsake/core'
import type { Cluster, Redis } from 'ioredis'
import { connect, given, isCluster, type Connection } from './connect.ts'
import type { RedisSettings } from './options.ts'
import { isLost, isNoScript, isPassing, toKeepsakeError } from './redis-errors.ts'
import type { Script } from './scripts.ts'
import { isTimedOut, within } from './within.ts'

/** The connection as the store uses it: commands are bounded in time and sent again while that helps. */
export interface RedisClient {
  /** Runs a script; where the server has forgotten it, sends it anew. */
  run<T>(script: Script, keys: readonly string[], args: readonly (string | Buffer)[], options?: CallOptions): Promise<T>
  /** Sends another command, or several. */
  send<T>(command: (client: Redis | Cluster) => Promise<T>, options?: CallOptions): Promise<T>
  /** The servers that take writes: one, or a cluster's. */
  servers(options?: CallOptions): Promise<{ masters: Redis[]; cluster: boolean }>
  close(): Promise<void>
}

/** What ioredis has for scripts whose answers are bytes; its types leave it out for clusters. */
interface ScriptRunner {
  evalshaBuffer(sha: string, keyCount: number, ...args: (string | Buffer)[]): Promise<unknown>
  evalBuffer(lua: string, keyCount: number, ...args: (string | Buffer)[]): Promise<unknown>
}

const FIRST_WAIT_MS = 20
const LONGEST_WAIT_MS = 500
/** What is sent may take longer than `commandTimeoutMs` if it is large: 10 MB/s are asked for. */
const BYTES_PER_MS = 10_000

export function redisClient({ source, commandTimeoutMs, retryTimeoutMs }: RedisSettings): RedisClient {
  let connecting: Promise<Connection> | undefined
  let connection: Connection | undefined

  /** Failing to import the client is not kept: it may be installed later. */
  async function open(): Promise<Connection> {
    connecting ??= 'kind' in source ? connect(source) : Promise.resolve(given(source))
    try {
      return (connection = await connecting)
    } catch (error) {
      connecting = undefined
      throw error
    }
  }

  async function send<T>(
    command: (client: Redis | Cluster) => Promise<T>,
    { signal }: CallOptions = {},
    bytes = 0,
  ): Promise<T> {
    const timeoutMs = commandTimeoutMs + Math.ceil(bytes / BYTES_PER_MS)
    let timeUp: AbortSignal | undefined
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      throwIfAborted(signal)
      try {
        const { client } = connection ?? (await within(open(), timeoutMs, signal))
        return await within(command(client), timeoutMs, signal)
      } catch (error) {
        const reason = connection === undefined ? error : reasonOf(error, connection)
        timeUp ??= AbortSignal.timeout(retryTimeoutMs)
        if (!isPassing(reason) || timeUp.aborted) throw toKeepsakeError(reason)
      }
      // An abort ends the wait, and is thrown above.
      await sleep(waitMs, undefined, signal && { signal }).catch(() => {})
    }
  }

  async function shut(): Promise<void> {
    await connecting?.catch(() => {})
    connection?.close()
  }

  return {
    send,

    run<T>(script: Script, keys: readonly string[], args: readonly (string | Buffer)[], options?: CallOptions) {
      let bytes = 0
      for (const arg of args) bytes += arg.length
      const command = async (client: Redis | Cluster): Promise<T> => {
        const scripts = client as unknown as ScriptRunner
        try {
          return (await scripts.evalshaBuffer(script.sha, keys.length, ...keys, ...args)) as T
        } catch (error) {
          if (!isNoScript(error)) throw error
          return (await scripts.evalBuffer(script.lua, keys.length, ...keys, ...args)) as T
        }
      }
      return send(command, options, bytes)
    },

    async servers(options) {
      // The list of a cluster's servers is there once the first command has been answered.
      await send((client) => client.ping(), options)
      const { client } = await open()
      return isCluster(client)
        ? { masters: client.nodes('master'), cluster: true }
        : { masters: [client], cluster: false }
    },

    close: shut,
  }
}

/** Why a command failed. That there is no connection has a reason of its own. */
function reasonOf(error: unknown, { client, reason, renew }: Connection): unknown {
  if (isTimedOut(error)) renew()
  if (!isLost(error)) return error
  if (client.status !== 'end') return reason() ?? error
  return reason() ?? new KeepsakeError('unavailable', 'The Redis client of this store was closed; open a new one.')
}
