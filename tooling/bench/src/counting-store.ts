import type { Row, RowStore } from '@keepsake/core'

/** What has gone through a store. Bytes are those of records: keys and times come on top. */
export interface Counts {
  calls: number
  rowsRead: number
  bytesRead: number
  rowsWritten: number
  bytesWritten: number
}

/** A store that counts what is read from and written to `inner`. */
export function countingStore(inner: RowStore): { store: RowStore; counts: Counts } {
  const counts: Counts = { calls: 0, rowsRead: 0, bytesRead: 0, rowsWritten: 0, bytesWritten: 0 }
  const read = <T extends Row | undefined>(rows: T[]): T[] => {
    counts.calls++
    for (const row of rows) {
      if (row === undefined) continue
      counts.rowsRead++
      counts.bytesRead += row.rec.length
    }
    return rows
  }
  const store: RowStore = {
    ...inner,
    load: async (ids, options) => read(await inner.load(ids, options)),
    scan: async (entity, range, options) => read(await inner.scan(entity, range, options)),
    write(rows, options) {
      counts.calls++
      counts.rowsWritten += rows.length
      for (const row of rows) counts.bytesWritten += row.rec.length
      return inner.write(rows, options)
    },
  }
  return { store, counts }
}

/** What `work` adds to `counts`. */
export async function countsOf(counts: Counts, work: () => Promise<unknown>): Promise<Counts> {
  const before = { ...counts }
  await work()
  return {
    calls: counts.calls - before.calls,
    rowsRead: counts.rowsRead - before.rowsRead,
    bytesRead: counts.bytesRead - before.bytesRead,
    rowsWritten: counts.rowsWritten - before.rowsWritten,
    bytesWritten: counts.bytesWritten - before.bytesWritten,
  }
}
