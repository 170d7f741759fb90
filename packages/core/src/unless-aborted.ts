import { throwIfAborted } from './errors.ts'

/** Waits for work that goes on for others when this caller gives up. Rejects with `aborted` as soon as the signal fires. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  // Whoever gave up is not told how it ends, and nobody else may be waiting.
  work.catch(() => {})
  throwIfAborted(signal)
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => {
    try {
      throwIfAborted(signal)
    } catch (error) {
      reject(error)
    }
  }
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
