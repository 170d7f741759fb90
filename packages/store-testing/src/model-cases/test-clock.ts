import { createClock, systemClock, type Clock } from '@keepsake/core'

export const MINUTE_MS = 60_000
export const HOUR_MS: number = 60 * MINUTE_MS
export const DAY_MS: number = 24 * HOUR_MS

export interface TestClock extends Clock {
  /** Lets time pass; a negative number sets the clock back. */
  pass(ms: number): void
}

/**
 * A clock that stands until it is told to go on. It begins at the machine's time, `aheadMs` off: stores may drop rows that
 * have expired by theirs, so a case that ran in another year would lose them.
 */
export function testClock(aheadMs = 0): TestClock {
  let now = systemClock().nowMs() + aheadMs
  return {
    ...createClock({ nowMs: () => now, newId: () => systemClock().newId() }),
    pass: (ms) => {
      now += ms
    },
  }
}
