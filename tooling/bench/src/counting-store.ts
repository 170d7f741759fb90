import type { Row, RowStore } from '@keepsake/core'

/** What has gone through a store. Bytes are those of records: keys and times come on top. */
export interface Counts {
  calls: number
  /** Those of the calls that write. */
  writes: number
  rowsRead: number
  bytesRead: number
  rowsWritten: number
  bytesWritten: number
}

/** A store that counts what is read from and written to `inner`, and how long at least one of its calls was under way. */
export function countingStore(inner: RowStore): { store: RowStore; counts: Counts; busyMs: () => number } {
  const counts: Counts = { calls: 0, writes: 0, rowsRead: 0, bytesRead: 0, rowsWritten: 0, bytesWritten: 0 }
  let under = 0
  let sinceMs = 0
  let busyMs = 0
  async function timed<T>(work: () => Promise<T>): Promise<T> {
    if (under++ === 0) sinceMs = performance.now()
    try {
      return await work()
    } finally {
      if (--under === 0) busyMs += performance.now() - sinceMs
    }
  }
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
    load: async (ids, options) => read(await timed(() => inner.load(ids, options))),
    scan: async (entity, range, options) => read(await timed(() => inner.scan(entity, range, options))),
    write(rows, options) {
      counts.calls++
      counts.writes++
      counts.rowsWritten += rows.length
      for (const row of rows) counts.bytesWritten += row.rec.length
      return timed(() => inner.write(rows, options))
    },
    remove: (ids, options) => timed(() => inner.remove(ids, options)),
  }
  return { store, counts, busyMs: () => busyMs }
}

/** What `work` adds to `counts`. */
export async function countsOf(counts: Counts, work: () => Promise<unknown>): Promise<Counts> {
  const before = { ...counts }
  await work()
  const names = Object.keys(counts) as (keyof Counts)[]
  return Object.fromEntries(names.map((name) => [name, counts[name] - before[name]])) as unknown as Counts
}
