import { KeepsakeError } from './errors.ts'
import { MAX_SEQ } from './row-store.ts'

/** Time, versions and ids, so that tests can decide them. Nothing but {@link systemClock} reads the machine's. */
export interface Clock {
  /** Unix milliseconds, a whole number. */
  nowMs(): number
  /**
   * A version greater than `after`, and than every one that this clock gave or adopted before. Throws `invalid_value`
   * where there is none: `after` is the largest version that rows may have.
   */
  nextSeq(after?: number): number
  /** A fresh unique id. */
  newId(): string
}

export interface ClockOptions {
  /** Unix milliseconds; fractions are cut off. Default: the machine's. */
  nowMs?: () => number
  /** Default: `crypto.randomUUID()`. */
  newId?: () => string
}

/** 2024-01-01T00:00:00Z. Versions count from here. */
export const SEQ_EPOCH_MS: number = Date.UTC(2024, 0, 1)
/** Versions in a millisecond. */
export const SEQS_PER_MS = 4096
/** How far ahead of its own time a clock adopts a version that it was shown. */
export const MAX_AHEAD_MS = 60_000

/**
 * A hybrid logical clock (Kulkarni et al., "Logical Physical Clocks", 2014): versions are
 * `(ms since 2024) * 4096 + counter`, so they follow the wall clock, never step back when it does, and can be compared
 * between processes (but are not unique there).
 *
 * `nextSeq(after)` is always greater than `after`, and the clock goes on from there if that is at most 60 s ahead of its
 * own time. A version that is further ahead stays on its row: the one after it is given, and may be given again.
 */
export function createClock(options: ClockOptions = {}): Clock {
  const readMs = options.nowMs ?? (() => Date.now())
  const newId = options.newId ?? (() => crypto.randomUUID())
  let last = 0

  function nowMs(): number {
    const ms = Math.floor(readMs())
    if (Number.isSafeInteger(ms)) return ms
    throw new KeepsakeError('invalid_value', `The clock's nowMs() must give Unix milliseconds; it gave ${ms}.`)
  }

  return {
    nowMs,
    newId,
    nextSeq(after = 0) {
      const now = Math.max(0, nowMs() - SEQ_EPOCH_MS) * SEQS_PER_MS
      const own = Math.max(now, last + 1)
      const next = Math.max(own, after + 1)
      if (!(next <= MAX_SEQ)) throw noVersionLeft()
      if (next === own || next <= now + MAX_AHEAD_MS * SEQS_PER_MS) last = next
      return next
    },
  }
}

function noVersionLeft(): KeepsakeError {
  return new KeepsakeError(
    'invalid_value',
    `There is no version after ${MAX_SEQ}: the clock that wrote this row, or this one, is decades ahead. Set the clock right, and remove such a row with the store's remove().`,
    { details: { maxSeq: MAX_SEQ } },
  )
}

let shared: Clock | undefined

/** The clock of this process: one, so that versions never repeat in it. */
export function systemClock(): Clock {
  return (shared ??= createClock())
}
