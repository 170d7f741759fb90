import type { RowId, RowWrite } from '@keepsake/core'

/** What a careful program does by hand with the client of a database: the same guarded work, prepared where it can be. */
export interface RawClient extends AsyncDisposable {
  /** Guard `'monotonic'`; says whether it was applied. */
  write(row: RowWrite): Promise<boolean>
  /** Guard `'absent'`; says whether it was applied. */
  claim(row: RowWrite): Promise<boolean>
  /** Rows of one entity, each once; says whether all were applied. */
  writeBatch(rows: readonly RowWrite[]): Promise<boolean>
  load(id: RowId): Promise<unknown>
  /** Rows of one entity. */
  loadMany(ids: readonly RowId[]): Promise<unknown[]>
  scan(entity: string, limit: number): Promise<unknown[]>
}
