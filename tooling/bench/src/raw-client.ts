import type { RowId, RowWrite } from '@keepsake/core'

type Awaitable<T> = T | Promise<T>

/** What a careful program does by hand with the client of a database: the same guarded work, prepared where it can be. */
export interface RawClient extends AsyncDisposable {
  /** Guard `'monotonic'`; says whether it was applied. */
  write(row: RowWrite): Awaitable<boolean>
  /** Guard `'absent'`; says whether it was applied. */
  claim(row: RowWrite): Awaitable<boolean>
  /** Rows of one entity, each once; says whether all were applied. */
  writeBatch(rows: readonly RowWrite[]): Awaitable<boolean>
  load(id: RowId): unknown
  /** Rows of one entity. */
  loadMany(ids: readonly RowId[]): Awaitable<unknown[]>
  scan(entity: string, limit: number): Awaitable<unknown[]>
}
