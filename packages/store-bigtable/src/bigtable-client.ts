import { setTimeout as sleep } from 'node:timers/promises'
import type { Table } from '@google-cloud/bigtable'
import { KeepsakeError, throwIfAborted, type CallOptions } from '@keepsake/core'
import { isPassing, toKeepsakeError } from './bigtable-errors.ts'
import { connect } from './connect.ts'
import type { BigtableSettings } from './options.ts'

/** Options of one request for Google's client, which writes into them: never to be used twice. */
export interface GaxOptions {
  timeout: number
  /** The client does not send again by itself: it would take no notice of signals, and of how long a call may go on. */
  retry: null
}

/** The connection as the store uses it: requests are bounded in time and sent again while that helps. */
export interface BigtableClient {
  send<T>(request: (table: Table, gaxOptions: GaxOptions) => Promise<T>, options?: CallOptions): Promise<T>
  /** A call of the store: refused after `close`, which waits for those that have begun. */
  call<T>(options: CallOptions | undefined, work: () => Promise<T>): Promise<T>
  /** Waits for what is under way. */
  close(): Promise<void>
}

const FIRST_WAIT_MS = 20
const LONGEST_WAIT_MS = 1000

export function bigtableClient(settings: BigtableSettings): BigtableClient {
  const { requestTimeoutMs, retryTimeoutMs } = settings
  const underWay = new Set<Promise<unknown>>()
  let connecting: Promise<Table> | undefined
  let closing: Promise<void> | undefined

  /** A failure is not kept: credentials may come later. */
  function connected(): Promise<Table> {
    connecting ??= connect(settings).catch((error: unknown) => {
      connecting = undefined
      throw error
    })
    return connecting
  }

  async function shut(): Promise<void> {
    await Promise.allSettled(underWay)
    if ('bigtable' in settings.source) return
    const table = await connecting?.catch(() => undefined)
    await table?.bigtable.close()
  }

  return {
    call(options, work) {
      if (closing !== undefined) {
        throw new KeepsakeError('unavailable', 'This Bigtable store was closed; open a new one.')
      }
      throwIfAborted(options?.signal)
      const begun = work()
      underWay.add(begun)
      return begun.finally(() => underWay.delete(begun))
    },

    async send(request, { signal } = {}) {
      let timeUp: AbortSignal | undefined
      for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
        try {
          const table = await untilAborted(connected(), signal)
          return await untilAborted(request(table, { timeout: requestTimeoutMs, retry: null }), signal)
        } catch (error) {
          timeUp ??= AbortSignal.timeout(retryTimeoutMs)
          if (!isPassing(error) || timeUp.aborted) throw toKeepsakeError(error)
        }
        await untilAborted(sleep(waitMs), signal)
      }
    },

    close() {
      closing ??= shut()
      return closing
    },
  }
}

/** Rejects when the signal fires, whatever becomes of the work. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => {
    try {
      throwIfAborted(signal)
    } catch (error) {
      reject(error)
    }
  }
  // Work that loses the race may fail later, when nobody waits for it.
  work.catch(() => {})
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
