import type { Row, RowStore, RowWrite, WriteResult } from '@keepsake/core'

/** What the models asked of a store. */
export interface Watched {
  store: RowStore
  /** The rows of each `write`, in order. */
  readonly writes: RowWrite[][]
  /** How many rows `load` and `scan` gave. */
  rowsRead: number
  /** How many calls of any method there were. */
  calls: number
}

/** A store that notes what is asked of it. */
export function watched(inner: RowStore): Watched {
  const notes: Watched = { store: inner, writes: [], rowsRead: 0, calls: 0 }
  async function read<T extends (Row | undefined)[]>(rows: Promise<T>): Promise<T> {
    notes.calls++
    const found = await rows
    notes.rowsRead += found.filter((row) => row !== undefined).length
    return found
  }
  notes.store = {
    ...inner,
    load: (ids, options) => read(inner.load(ids, options)),
    scan: (entity, range, options) => read(inner.scan(entity, range, options)),
    remove(ids, options) {
      notes.calls++
      return inner.remove(ids, options)
    },
    write(rows, options) {
      notes.calls++
      notes.writes.push(rows.map((row) => ({ ...row, rec: new Uint8Array(row.rec) })))
      return inner.write(rows, options)
    },
  }
  return notes
}

/**
 * A store whose writes go through `meet`, which decides when they reach the store (`send`), how often, and which answer is
 * given: what a network and other processes do to a write on its way.
 */
export function intercepted(
  inner: RowStore,
  meet: (rows: readonly RowWrite[], send: () => Promise<WriteResult[]>) => Promise<WriteResult[]>,
): RowStore {
  return { ...inner, write: (rows, options) => meet(rows, () => inner.write(rows, options)) }
}

type Names = (rows: readonly RowWrite[]) => boolean

/** Runs `meanwhile` once, before the first write that `isIt` names reaches the store: somebody else was faster. */
export function overtaken(inner: RowStore, isIt: Names, meanwhile: () => Promise<unknown>): RowStore {
  return beforeFirst(inner, isIt, meanwhile)
}

/**
 * The first write that `isIt` names takes effect, its answer is lost, `meanwhile` happens, and then a transport sends the
 * same rows once more and gives the answer to that.
 */
export function resent(inner: RowStore, isIt: Names, meanwhile: () => Promise<unknown>): RowStore {
  return beforeFirst(inner, isIt, async (send) => {
    await send()
    await meanwhile()
  })
}

function beforeFirst(
  inner: RowStore,
  isIt: Names,
  before: (send: () => Promise<WriteResult[]>) => Promise<unknown>,
): RowStore {
  let done = false
  return intercepted(inner, async (rows, send) => {
    if (!done && isIt(rows)) {
      done = true
      await before(send)
    }
    return send()
  })
}
