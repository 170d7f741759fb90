import { KeepsakeError, throwIfAborted, type CallOptions } from '@keepsake/core'
import type { Connections, Lease } from './connections.ts'
import { withRetries } from './retry.ts'

/** What the errors of one dialect's client mean. */
export interface ServerErrors {
  /** Whether the same call may succeed soon, perhaps on another connection. */
  isPassing(error: unknown): boolean
  /** Whether no connection could be made at all. */
  isUnreachable(error: unknown): boolean
  /** What is no error of the client or the server is returned as it is. */
  toKeepsakeError(error: unknown): unknown
}

export interface ServerSettings<C> {
  /** The database, for messages. */
  where: string
  connections: Connections<C>
  errors: ServerErrors
  /** How long one attempt at a piece of work may take, with waiting for a connection. */
  queryTimeoutMs: number
  /** How long to go on with further attempts. */
  retryTimeoutMs: number
}

/** Does work on a connection, and again on another while the failure may pass. */
type Run<C> = <T>(work: (connection: C) => Promise<T>, options?: { timed: boolean }) => Promise<T>

/** A server as a store's calls use it. */
export interface Server<C> {
  /** A call of the store: one piece of work after the other, until the signal fires. */
  call<T>(options: CallOptions | undefined, work: (run: Run<C>) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function createServer<C>(settings: ServerSettings<C>): Server<C> {
  const { where, connections, errors, queryTimeoutMs, retryTimeoutMs } = settings
  // A server that was never there is a wrong address rather than one that restarts, and is not waited for.
  let reached = false

  function onConnection<T>(work: (connection: C) => Promise<T>, timed: boolean): Promise<T> {
    let lease: Lease<C> | undefined
    let late = false

    async function leased(): Promise<T> {
      lease = await connections.acquire()
      reached = true
      try {
        if (late) throw tooSlow(where, queryTimeoutMs)
        const result = await work(lease.connection)
        lease.release()
        return result
      } catch (error) {
        lease.release(error)
        throw error
      }
    }

    // The application's own connection cannot be given up, so it is not timed.
    if (!timed || !connections.replaced) return leased()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        late = true
        lease?.destroy()
        reject(tooSlow(where, queryTimeoutMs))
      }, queryTimeoutMs)
      const settle =
        <V>(end: (value: V) => void) =>
        (value: V): void => {
          clearTimeout(timer)
          end(value)
        }
      // After the time is up this settles nothing any more.
      leased().then(settle(resolve), settle(reject))
    })
  }

  return {
    async call(options, work) {
      const signal = options?.signal
      const retries = {
        retryTimeoutMs: connections.replaced ? retryTimeoutMs : 0,
        isPassing: (error: unknown) => errors.isPassing(error) && (reached || !errors.isUnreachable(error)),
        signal,
      }
      const run: Run<C> = async (piece, { timed } = { timed: true }) => {
        throwIfAborted(signal)
        try {
          return await withRetries(() => onConnection(piece, timed), retries)
        } catch (error) {
          throw errors.toKeepsakeError(error)
        }
      }
      return work(run)
    },

    close: () => connections.close(),
  }
}

function tooSlow(where: string, timeoutMs: number): KeepsakeError {
  return new KeepsakeError(
    'unavailable',
    `${where} did not answer within ${timeoutMs} ms, or no connection was free; a write may still take effect. Look for long transactions, or raise queryTimeoutMs.`,
    { retryable: true, details: { timeoutMs } },
  )
}
