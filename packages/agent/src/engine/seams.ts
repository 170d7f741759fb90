import { systemClock, type Clock } from '@keepsake/core'
import { systemMonotonicMs } from './system-monotonic.ts'

/**
 * All that an engine takes from the machine, so that tests and the simulation can decide it. Nothing in the engine waits,
 * or asks for the time or an id, but through this.
 */
export interface Seams {
  /** Wall time, versions and unique ids. */
  clock: Clock
  /** Milliseconds that never step back, from any start: leases are counted on it. */
  monotonicMs: () => number
  /** Calls `callback` once after `delayMs`, unless the returned function was called before. */
  setTimer: (delayMs: number, callback: () => void) => () => void
}

/** The machine's own. */
export function systemSeams(clock: Clock = systemClock()): Seams {
  return {
    clock,
    monotonicMs: systemMonotonicMs,
    setTimer(delayMs, callback) {
      const timer = setTimeout(callback, delayMs)
      return () => clearTimeout(timer)
    },
  }
}

/** Resolves after `delayMs`, or as soon as the signal fires: look at it afterwards. */
export function sleep({ setTimer }: Seams, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const cancel = setTimer(delayMs, wake)
    function wake(): void {
      cancel()
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    signal?.addEventListener('abort', wake, { once: true })
  })
}
