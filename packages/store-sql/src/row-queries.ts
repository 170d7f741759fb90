import type { Row, RowId, RowWrite } from '@keepsake/core'
import type { Bounds } from './bounds.ts'
import type { TransactionQueries } from './transaction.ts'
import type { GuardKind, SegmentLimits } from './waves.ts'

/** The statements of one dialect on rows, to be run on a connection of its client. Each is one round trip. */
export interface RowQueries<C> extends TransactionQueries<C> {
  readonly limits: SegmentLimits
  /** The most keys that `load` and `remove` take. */
  readonly maxKeys: number
  /** Whether `write` says of each of so many rows whether it was applied, also where some were not. */
  tells(rows: number): boolean
  /** Whether several statements may be sent before the first is answered. */
  pipelines(connection: C): boolean

  /**
   * Those of an entity's rows that are stored, in any order. `written`: within a transaction that has written them, or
   * tried to; then not as they were when it began.
   */
  load(connection: C, entity: string, keys: readonly string[], written: boolean): Promise<Row[]>
  scan(connection: C, entity: string, bounds: Bounds, limit: number): Promise<Row[]>
  entities(connection: C, bounds: Bounds, limit: number): Promise<string[]>
  /** Writes rows of one segment. `true`: applied; `false`: not applied; `undefined`: the server does not tell. */
  write(connection: C, kind: GuardKind, rows: readonly RowWrite[]): Promise<(boolean | undefined)[]>
  /** The number of rows that went. */
  remove(connection: C, ids: readonly (RowId & { seq?: number })[]): Promise<number>
  /** Removes at most `limit` rows of an entity and gives their number. */
  removeSome(connection: C, entity: string, limit: number): Promise<number>
}

/** A row as the clients give it, without its entity. */
export type Columns = [key: string, seq: number, rec: Uint8Array, updatedAtMs: number, expiresAtMs: number | null]

export function toRow(entity: string, [key, seq, rec, updatedAtMs, expiresAtMs]: Columns): Row {
  const row: Row = { entity, key, seq, rec, updatedAtMs }
  if (expiresAtMs !== null) row.expiresAtMs = expiresAtMs
  return row
}
