import type { Bytes, Guard, Row, RowWrite, WriteResult } from './row-store.ts'

const APPLIED: WriteResult = Object.freeze({ status: 'applied' })

/**
 * What a guard decides: the whole rule in one place. For stores that can decide in memory, for tests, and to explain;
 * other stores say the same in their backend's language.
 */
export function decideWrite(stored: Pick<Row, 'seq' | 'rec'> | undefined, write: RowWrite): WriteResult {
  if (holds(write.guard ?? 'monotonic', stored, write)) return APPLIED
  return { status: 'stale', seq: stored?.seq ?? -1 }
}

/** Whether the stored row is this very write: a repeat after a lost answer. Records are compared only at equal seqs. */
export function isSameWrite(stored: Pick<Row, 'seq' | 'rec'>, write: Pick<Row, 'seq' | 'rec'>): boolean {
  return stored.seq === write.seq && equalBytes(stored.rec, write.rec)
}

export function equalBytes(a: Bytes, b: Bytes): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function holds(guard: Guard, stored: Pick<Row, 'seq' | 'rec'> | undefined, write: RowWrite): boolean {
  if (guard === 'monotonic') return stored === undefined || stored.seq <= write.seq
  if (guard === 'absent') return stored === undefined || isSameWrite(stored, write)
  return stored !== undefined && (stored.seq === guard.seq || isSameWrite(stored, write))
}
