import {
  decodeEnvelope,
  encodeEnvelope,
  KeepsakeError,
  type Guard,
  type Row,
  type RowId,
  type RowWrite,
  type Storable,
} from '@keepsake/core'

/** What a row of the engine says, before it has a version. */
export interface RowDraft extends RowId {
  value: Storable
  nowMs: number
  guard: Guard
  /** Makes equal values of two writers different rows. */
  writeId?: string
  expiresAtMs?: number
}

/** A row of the engine as it is written: repeated, it is the same bytes. */
export function engineRow({ entity, key, value, nowMs, guard, writeId, expiresAtMs }: RowDraft, seq: number): RowWrite {
  const expiry = expiresAtMs === undefined ? {} : { expiresAtMs }
  const writeIds = writeId === undefined ? {} : { writeIds: [writeId] }
  const rec = encodeEnvelope({ value, createdAtMs: nowMs, ...writeIds, ...expiry })
  return { entity, key, seq, rec, updatedAtMs: nowMs, guard, ...expiry }
}

/** The value of a stored row. The engine's rows are written by this module alone. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says what the caller knows of the row
export function valueOf<T>(row: Row): T {
  return decodeEnvelope(row.rec).value as T
}

/** Whether what it held cannot be read any more: the store is encrypted, and its key was destroyed. */
export function isGone(row: Row): boolean {
  return row.rec.length === 0
}

/** A number in keys so that an ascending scan meets the smallest first. */
export function ascending(n: number): string {
  return n.toString(16).padStart(14, '0')
}

/**
 * Something that only the engine writes is not there, or not as it writes it. Whoever read the head a while ago has to look
 * whether it has moved: then it was the clean-up.
 */
export function damaged(what: string): KeepsakeError {
  return new KeepsakeError(
    'invalid_value',
    `${what}: it was removed or changed by something else than the engine. Restore the rows of this entity from a backup.`,
    { details: { reason: DAMAGED } },
  )
}

const DAMAGED = 'damaged'

export function isDamage(error: unknown): boolean {
  return KeepsakeError.isInstance(error) && error.details['reason'] === DAMAGED
}
