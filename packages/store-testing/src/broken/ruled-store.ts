import {
  checkRowWrites,
  compareUtf8,
  decideWrite,
  defineStore,
  MAX_REC_BYTES,
  type Range,
  type Row,
  type RowStore,
  type RowWrite,
  type StoreLimits,
  type WriteResult,
} from '@keepsake/core'

/** What a broken store may have its own ideas about. Whatever is left out is done right. */
export interface Rules {
  decide: (stored: Row | undefined, write: RowWrite) => WriteResult
  /** The name under which a row is kept: ids with the same one are the same row. */
  file: (entity: string, key: string) => string
  compare: (a: string, b: string) => number
  hasPrefix: (text: string, prefix: string) => boolean
  isAfter: (text: string, after: string, known: readonly string[]) => boolean
  isOfEntity: (row: Row, entity: string) => boolean
  cut: (found: readonly string[], limit: number) => readonly string[]
  check: (rows: readonly RowWrite[], limits: StoreLimits) => void
  /** What is kept of a write; `undefined` keeps nothing. */
  takeIn: (write: RowWrite, stored: Row | undefined) => Row | undefined
  /** What is given of a row that is kept; `undefined` hides it. */
  giveOut: (row: Row) => Row | undefined
  removes: (row: Row, seq: number | undefined) => boolean
}

const limits: StoreLimits = Object.freeze({ maxRecBytes: MAX_REC_BYTES, maxBatchRows: 100, atomicBatch: true })

export const right: Readonly<Rules> = Object.freeze<Rules>({
  decide: decideWrite,
  file: (entity, key) => JSON.stringify([entity, key]),
  compare: compareUtf8,
  hasPrefix: (text, prefix) => text.startsWith(prefix),
  isAfter: (text, after) => compareUtf8(text, after) > 0,
  isOfEntity: (row, entity) => row.entity === entity,
  cut: (found, limit) => found.slice(0, limit),
  check: checkRowWrites,
  takeIn: copyRow,
  giveOut: copyRow,
  removes: (row, seq) => seq === undefined || row.seq === seq,
})

/**
 * A small store in memory that follows `rules`, for making broken ones: right in all but what is passed. It keeps one
 * flat map and sorts at every call, so it is for tests only.
 */
export function ruledStore(rules: Partial<Rules> = {}): RowStore {
  const { decide, file, compare, hasPrefix, isAfter, isOfEntity, cut, check, takeIn, giveOut, removes } = {
    ...right,
    ...rules,
  }
  const rows = new Map<string, Row>()

  function within(names: Iterable<string>, { prefix = '', after, limit }: Range): readonly string[] {
    const sorted = [...new Set(names)].toSorted(compare)
    const found = sorted.filter(
      (name) => hasPrefix(name, prefix) && (after === undefined || isAfter(name, after, sorted)),
    )
    return cut(found, limit)
  }

  function removeWhere(condition: (row: Row) => boolean): number {
    let removed = 0
    for (const [name, row] of rows) if (condition(row) && rows.delete(name)) removed++
    return removed
  }

  function applied(writes: readonly RowWrite[]): WriteResult[] {
    return writes.map((write) => {
      const name = file(write.entity, write.key)
      const stored = rows.get(name)
      const result = decide(stored, write)
      if (result.status === 'applied') {
        const row = takeIn(write, stored)
        if (row === undefined) rows.delete(name)
        // The first spelling of a name stays, as in an index that takes both for one.
        else rows.set(name, stored === undefined ? row : { ...row, entity: stored.entity, key: stored.key })
      }
      return result
    })
  }

  const store = defineStore({
    name: 'ruled',
    limits,
    load: (ids) =>
      ids.map(({ entity, key }) => {
        const row = rows.get(file(entity, key))
        return row && giveOut(row)
      }),
    scan(entity, range) {
      const own = [...rows.values()].filter((row) => isOfEntity(row, entity))
      const keys = own.map((row) => row.key)
      return within(keys, range)
        .map((key) => giveOut(own.find((row) => row.key === key)!))
        .filter((row) => row !== undefined)
    },
    entities: (range) => [
      ...within(
        Array.from(rows.values(), (row) => row.entity),
        range,
      ),
    ],
    write: applied,
    remove(ids) {
      let removed = 0
      for (const { entity, key, seq } of ids) {
        const name = file(entity, key)
        const row = rows.get(name)
        if (row !== undefined && removes(row, seq) && rows.delete(name)) removed++
      }
      return removed
    },
    removeEntity: (entity) => removeWhere((row) => isOfEntity(row, entity)),
    provision(options) {
      if (options?.down) rows.clear()
    },
    verify() {},
    close() {},
  })
  if (check === checkRowWrites) return store
  return {
    ...store,
    async write(writes, options) {
      check(writes, limits)
      // Rejects where no call may begin.
      await store.verify(options)
      return applied(writes)
    },
  }
}

export function copyRow({ entity, key, seq, rec, updatedAtMs, expiresAtMs }: Row): Row {
  const row = { entity, key, seq, rec: new Uint8Array(rec), updatedAtMs }
  return expiresAtMs === undefined ? row : { ...row, expiresAtMs }
}
