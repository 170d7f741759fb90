import { setTimeout as sleep } from 'node:timers/promises'
import { KeepsakeError, throwIfAborted, type CallOptions } from '@keepsake/core'

const MAX_ATTEMPTS = 100
const LONGEST_WAIT_MS = 250

/**
 * Waits before the next attempt at what another writer came before, longer and more randomly with each, so that many
 * writers of one row do not run in step. Throws `conflict` after 100 attempts, which take some 10 seconds.
 */
export async function backoff(attempt: number, options: CallOptions | undefined): Promise<void> {
  throwIfAborted(options?.signal)
  if (attempt >= MAX_ATTEMPTS) {
    throw new KeepsakeError(
      'conflict',
      `A row was changed by others at each of ${attempt} attempts. Try again, or spread the writes over more keys.`,
      { retryable: true, details: { attempts: attempt } },
    )
  }
  const jitter = crypto.getRandomValues(new Uint8Array(1))[0]! / 256
  await sleep(Math.min(LONGEST_WAIT_MS, 4 * attempt) * jitter)
  throwIfAborted(options?.signal)
}
