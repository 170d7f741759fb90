import { throwIfAborted } from '@keepsake/core'

const NAME = 'TimedOut'

/** The answer; rejects when the time is up (see {@link isTimedOut}), or with `aborted` when the signal fires. */
export async function within<T>(answer: Promise<T>, timeoutMs: number, signal: AbortSignal | undefined): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(Object.assign(new Error('Command timed out'), { name: NAME })), timeoutMs)
  const onAbort = (): void => {
    try {
      throwIfAborted(signal)
    } catch (error) {
      reject(error)
    }
  }
  // An answer that loses the race may be a failure, when nobody waits for it.
  answer.catch(() => {})
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

export function isTimedOut(error: unknown): boolean {
  return error instanceof Error && error.name === NAME
}
