import { setTimeout as sleep } from 'node:timers/promises'
import type { Table } from '@google-cloud/bigtable'
import { unlessAborted, type CallOptions } from '@keepsake/core'
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
  close(): Promise<void>
}

const FIRST_WAIT_MS = 20
const LONGEST_WAIT_MS = 1000

export function bigtableClient(settings: BigtableSettings): BigtableClient {
  const { requestTimeoutMs, retryTimeoutMs } = settings
  let connecting: Promise<Table> | undefined

  /** A failure is not kept: credentials may come later. */
  function connected(): Promise<Table> {
    connecting ??= connect(settings).catch((error: unknown) => {
      connecting = undefined
      throw error
    })
    return connecting
  }

  async function shut(): Promise<void> {
    if ('bigtable' in settings.source) return
    const table = await connecting?.catch(() => undefined)
    await table?.bigtable.close()
  }

  return {
    async send(request, { signal } = {}) {
      let timeUp: AbortSignal | undefined
      for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
        try {
          const table = await unlessAborted(connected(), signal)
          return await unlessAborted(request(table, { timeout: requestTimeoutMs, retry: null }), signal)
        } catch (error) {
          timeUp ??= AbortSignal.timeout(retryTimeoutMs)
          if (!isPassing(error) || timeUp.aborted) throw toKeepsakeError(error)
        }
        await unlessAborted(sleep(waitMs), signal)
      }
    },

    close: shut,
  }
}
