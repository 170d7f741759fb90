import type { RowId, RowWrite } from '@keepsake/core'

/** What a careful program does by hand with the client of a database: the same guarded work, prepared statements. */
export interface RawClient extends AsyncDisposable {
  /** Guard `'monotonic'`; says whether it was applied. */
  write(row: RowWrite): Promise<boolean>
  /** Says whether all were applied. */
  writeBatch(rows: readonly RowWrite[]): Promise<boolean>
  load(id: RowId): Promise<unknown>
  /** Rows of one entity. */
  loadMany(ids: readonly RowId[]): Promise<unknown[]>
  scan(entity: string, limit: number): Promise<unknown[]>
}

/** Makes a table like the store's and a client for it, which removes the table in the end. */
export type OpenRawClient = (url: string, table: string) => Promise<RawClient>
