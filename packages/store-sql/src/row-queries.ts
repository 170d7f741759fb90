import type { Row, RowId, RowWrite } from '@keepsake/core'
import type { Bounds } from './bounds.ts'
import type { TransactionQueries } from './transaction.ts'
import type { GuardKind, SegmentLimits } from './waves.ts'

/** The statements of one dialect on rows, to be run on a connection of its client. Each is one round trip. */
export interface RowQueries<C> extends TransactionQueries<C> {
  readonly limits: SegmentLimits
  /** The most ids that `load` and `remove` take. */
  readonly maxIds: number
  /** Whether `write` says of each of so many rows whether it was applied, also where some were not. */
  tells(rows: number): boolean
  /** Whether several statements may be sent before the first is answered. */
  pipelines(connection: C): boolean

  /**
   * Those of the rows that are stored, in any order; no id is twice in `ids`. `written`: within a transaction that has
   * written them, or tried to; then not as they were when it began.
   */
  load(connection: C, ids: readonly RowId[], written: boolean): Promise<Row[]>
  scan(connection: C, entity: string, bounds: Bounds, limit: number): Promise<Row[]>
  entities(connection: C, bounds: Bounds, limit: number): Promise<string[]>
  /** Writes rows of one segment. `true`: applied; `false`: not applied; `undefined`: the server does not tell. */
  write(connection: C, kind: GuardKind, rows: readonly RowWrite[]): Promise<(boolean | undefined)[]>
  /** The number of rows that went. */
  remove(connection: C, ids: readonly (RowId & { seq?: number })[]): Promise<number>
  /** Removes at most `limit` rows of an entity and gives their number. */
  removeSome(connection: C, entity: string, limit: number): Promise<number>
}

/** A row from what the columns hold. */
export function toRow(
  entity: string,
  key: string,
  rec: Uint8Array,
  [seq, updatedAtMs, expiresAtMs]: readonly [seq: unknown, updatedAtMs: unknown, expiresAtMs: unknown],
): Row {
  // Large numbers come as text.
  const row: Row = { entity, key, seq: Number(seq), rec, updatedAtMs: Number(updatedAtMs) }
  if (expiresAtMs !== null) row.expiresAtMs = Number(expiresAtMs)
  return row
}
