import { setTimeout as sleep } from 'node:timers/promises'
import { throwIfAborted } from '@keepsake/core'
import { isBusy } from './sqlite-errors.ts'

// Shorter pauses make many writers slower as a whole: they take the processor from the one that holds the lock.
const MAX_PAUSE_MS = 25

/**
 * Does `work`, and while another connection holds the lock that it needs, again after a pause: at most until `timeoutMs`
 * have passed. SQLite's own busy timeout would block this thread for as long, and does not cover every lock.
 */
export async function whenUnlocked<T>(work: () => T, timeoutMs: number, signal?: AbortSignal): Promise<T> {
  for (let waitedMs = 0, pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    throwIfAborted(signal)
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || waitedMs >= timeoutMs) throw error
    }
    await sleep(pauseMs)
    waitedMs += pauseMs
  }
}
