import { checkRowWrites, KeepsakeError, throwIfAborted, type RowStore } from '@keepsake/core'

/** What of a store is done in another way. What is left out is the store's own. */
export interface Rewriting {
  limits?: RowStore['limits']
  load?: RowStore['load']
  scan?: RowStore['scan']
  /** Rows that were checked, and copied: the caller may change its own meanwhile. */
  write: RowStore['write']
}

/** A store that writes other records than it is given. `close` waits for those that have not reached `store` yet. */
export function rewritingStore(store: RowStore, { limits = store.limits, load, scan, write }: Rewriting): RowStore {
  const waiting = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= Promise.allSettled(waiting).then(() => store.close()))

  return {
    name: store.name,
    limits,
    load: load ?? ((ids, options) => store.load(ids, options)),
    scan: scan ?? ((entity, range, options) => store.scan(entity, range, options)),
    entities: (range, options) => store.entities(range, options),
    async write(rows, options) {
      if (closing !== undefined) throw new KeepsakeError('unavailable', 'This store was closed; open a new one.')
      throwIfAborted(options?.signal)
      checkRowWrites(rows, limits)
      const copies = rows.map((row) => ({ ...row, rec: row.rec.slice() }))
      const writing = write(copies, options)
      waiting.add(writing)
      return writing.finally(() => waiting.delete(writing))
    },
    remove: (ids, options) => store.remove(ids, options),
    removeEntity: (entity, options) => store.removeEntity(entity, options),
    provision: (options) => store.provision(options),
    verify: (options) => store.verify(options),
    close,
    [Symbol.asyncDispose]: close,
  }
}
