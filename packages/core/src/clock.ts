import { MAX_SEQ } from './row-store.ts'

/** Time, versions and ids, so that tests can decide them. Nothing but {@link systemClock} reads the machine's. */
export interface Clock {
  /** Unix milliseconds. */
  nowMs(): number
  /** A version greater than every one that this clock gave or adopted before, and than `after`. */
  nextSeq(after?: number): number
  /** A fresh unique id. */
  newId(): string
}

export interface ClockOptions {
  nowMs?: () => number
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
 * own time: a version from a clock that is far off stays on its row.
 */
export function createClock(options: ClockOptions = {}): Clock {
  const nowMs = options.nowMs ?? (() => Date.now())
  const newId = options.newId ?? (() => crypto.randomUUID())
  let last = 0
  return {
    nowMs,
    newId,
    nextSeq(after = 0) {
      const now = Math.max(0, nowMs() - SEQ_EPOCH_MS) * SEQS_PER_MS
      const own = Math.max(now, last + 1)
      if (after < own) return (last = own)
      const next = Math.min(after + 1, MAX_SEQ)
      if (next <= now + MAX_AHEAD_MS * SEQS_PER_MS) last = next
      return next
    },
  }
}

let shared: Clock | undefined

/** The clock of this process: one, so that versions never repeat in it. */
export function systemClock(): Clock {
  return (shared ??= createClock())
}
