import { throwIfAborted } from '@keepsake/core'

const NAME = 'TimedOut'

/** The answer; rejects when the time is up (see {@link isTimedOut}), or with `aborted` when the signal fires. */
export function within<T>(answer: Promise<T>, timeoutMs: number, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(Object.assign(new Error('Command timed out'), { name: NAME })), timeoutMs)
    const onAbort = (): void => {
      try {
        throwIfAborted(signal)
      } catch (error) {
        fail(error)
      }
    }
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    const fail = (error: unknown): void => {
      end()
      reject(error)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    // An answer that comes too late finds the promise settled, and changes nothing.
    answer.then((value) => {
      end()
      resolve(value)
    }, fail)
  })
}

export function isTimedOut(error: unknown): boolean {
  return error instanceof Error && error.name === NAME
}
