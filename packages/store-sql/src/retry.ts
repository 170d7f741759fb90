import { throwIfAborted } from '@keepsake/core'

const FIRST_PAUSE_MS = 4
const LONGEST_PAUSE_MS = 500

export interface RetryOptions {
  /** How long to go on, counted from the first failure. 0: not at all. */
  retryTimeoutMs: number
  isPassing: (error: unknown) => boolean
  signal?: AbortSignal | undefined
}

/** Does `attempt`, and again after a pause while it fails with what may pass. */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { retryTimeoutMs, isPassing, signal } = options
  let timeUp: AbortSignal | undefined
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await attempt()
    } catch (error) {
      if (retryTimeoutMs === 0 || !isPassing(error)) throw error
      timeUp ??= AbortSignal.timeout(retryTimeoutMs)
      if (timeUp.aborted) throw error
    }
    // Those who failed together must not come back together.
    const jitter = crypto.getRandomValues(new Uint8Array(1))[0]! / 256
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + jitter)))
    throwIfAborted(signal)
  }
}
