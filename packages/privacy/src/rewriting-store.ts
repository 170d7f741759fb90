import { defineStore, type RowStore, type RowWrite } from '@keepsake/core'

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
  return defineStore({
    name: store.name,
    limits,
    load: load ?? ((ids, options) => store.load(ids, options)),
    scan: scan ?? ((entity, range, options) => store.scan(entity, range, options)),
    entities: (range, options) => store.entities(range, options),
    write: (rows, options) => write(copied(rows), options),
    remove: (ids, options) => store.remove(ids, options),
    removeEntity: (entity, options) => store.removeEntity(entity, options),
    provision: (options) => store.provision(options),
    verify: (options) => store.verify(options),
    close: () => store.close(),
  })
}

/** Records are copied into one piece of memory: to ask for one for each costs more than to copy. */
function copied(rows: readonly RowWrite[]): RowWrite[] {
  const all = new Uint8Array(rows.reduce((sum, { rec }) => sum + rec.length, 0))
  let used = 0
  return rows.map((row) => {
    const rec = all.subarray(used, (used += row.rec.length))
    rec.set(row.rec)
    return { ...row, rec }
  })
}
