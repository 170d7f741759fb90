import { KeepsakeError, throwIfAborted } from './errors.ts'

const MAX_ATTEMPTS = 200
const MAX_WAIT_MS = 50

/**
 * Waits a little before the next attempt at a write that others came before, longer and more randomly with each, so that
 * many writers of one row do not run in step. Throws `conflict` after 200 attempts.
 */
export async function backoff(attempt: number, what: string, signal: AbortSignal | undefined): Promise<void> {
  throwIfAborted(signal)
  if (attempt >= MAX_ATTEMPTS) {
    throw new KeepsakeError(
      'conflict',
      `${what} met another writer ${attempt} times and gave up; nothing of it was written. Try again, or spread the writes over more keys.`,
      { retryable: true, details: { attempts: attempt } },
    )
  }
  const jitter = crypto.getRandomValues(new Uint8Array(1))[0]! / 256
  const waitMs = Math.min(MAX_WAIT_MS, attempt) * jitter
  if (waitMs >= 1) await new Promise((resolve) => setTimeout(resolve, waitMs))
}
