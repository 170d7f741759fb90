import { encodeTuple, type Row, type RowWrite, type Storable } from '@keepsake/core'
import type { CommitRef, Failure } from './head.ts'
import { engineRow, isGone, valueOf } from './row.ts'

/** Where a committed event's outputs are, kept for `dedupeMs`. */
export function eventKey(eventId: string): string {
  return encodeTuple(['e', eventId])
}

export function eventRow(
  entity: string,
  eventId: string,
  { s, ep }: CommitRef,
  life: { nowMs: number; expiresAtMs: number },
): RowWrite {
  return engineRow({ entity, key: eventKey(eventId), value: { s, ep }, guard: 'monotonic', ...life }, s)
}

export function readEvent(row: Row | undefined, nowMs: number): CommitRef | undefined {
  return row === undefined || isOver(row, nowMs) ? undefined : valueOf<CommitRef>(row)
}

/** An event that failed: all that a retry needs, and why. */
export interface DeadLetter {
  s: number
  ep: number
  nowMs: number
  event: { id: string; data: Storable }
  failure: Failure
  /** The commit that the entity was at, and the one whose working memory the handler saw. */
  committed?: CommitRef
  memory?: CommitRef
}

export function deadLetterKey(eventId: string): string {
  return encodeTuple(['d', eventId])
}

export function deadLetterRow(
  entity: string,
  letter: DeadLetter,
  life: { nowMs: number; expiresAtMs: number },
): RowWrite {
  const value = letter as unknown as Storable
  return engineRow({ entity, key: deadLetterKey(letter.event.id), value, guard: 'monotonic', ...life }, letter.s)
}

export function readDeadLetter(row: Row | undefined, nowMs: number): DeadLetter | undefined {
  return row === undefined || isOver(row, nowMs) ? undefined : valueOf<DeadLetter>(row)
}

function isOver(row: Row, nowMs: number): boolean {
  return isGone(row) || (row.expiresAtMs !== undefined && row.expiresAtMs <= nowMs)
}
