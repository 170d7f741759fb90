import { throwIfAborted, type CallOptions } from '@keepsake/core'
import { connect } from './connect.ts'
import { noAnswer, toKeepsakeError } from './firestore-errors.ts'
import type { FirestoreSettings } from './options.ts'
import { placesIn, type Places } from './places.ts'

/** The connection as the store uses it. */
export interface FirestoreClient {
  /** Makes a request, bounded in time. Google's client sends it again while that helps. */
  send<T>(request: (places: Places) => Promise<T>, options?: CallOptions): Promise<T>
  close(): Promise<void>
}

/** How long `close` waits for requests that were given up, and that Google's client still makes. */
const LONGEST_GOODBYE_MS = 1000

export function firestoreClient(settings: FirestoreSettings): FirestoreClient {
  const { source, collection, requestTimeoutMs } = settings
  const requests = new Set<Promise<unknown>>()
  let connecting: Promise<Places> | undefined

  async function places(): Promise<Places> {
    return placesIn(await connect(settings), collection)
  }

  function connected(): Promise<Places> {
    connecting ??= places().catch((error: unknown) => {
      // Not kept: the package may be installed meanwhile.
      connecting = undefined
      throw error
    })
    return connecting
  }

  async function shut(): Promise<void> {
    if ('client' in source || connecting === undefined) return
    // A client that is terminated while it repeats a request ends the process, by a rejection that nobody can handle.
    const terminated = Promise.allSettled(requests).then(async () => (await connecting)?.firestore.terminate())
    await within(terminated, LONGEST_GOODBYE_MS, undefined).catch(() => {})
  }

  function begin<T>(request: (places: Places) => Promise<T>): Promise<T> {
    const begun = connected().then(request)
    requests.add(begun)
    return begun.finally(() => requests.delete(begun))
  }

  return {
    async send(request, options) {
      throwIfAborted(options?.signal)
      try {
        return await within(begin(request), requestTimeoutMs, options?.signal)
      } catch (error) {
        throw toKeepsakeError(error)
      }
    },

    close: shut,
  }
}

/** Rejects when the time is up or the signal fires, whatever becomes of the work. */
async function within<T>(work: Promise<T>, timeoutMs: number, signal: AbortSignal | undefined): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(noAnswer()), timeoutMs)
  const onAbort = (): void => {
    try {
      throwIfAborted(signal)
    } catch (error) {
      reject(error)
    }
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  // Work that loses the race may fail later, when nobody waits for it.
  work.catch(() => {})
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
