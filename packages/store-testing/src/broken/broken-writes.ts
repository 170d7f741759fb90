import {
  checkRowWrites,
  systemClock,
  type CallOptions,
  type RowStore,
  type RowWrite,
  type WriteResult,
} from '@keepsake/core'
import { breaksMethod, breaksRule, type BrokenStore } from './broken-store.ts'
import { copyRow, right } from './ruled-store.ts'

export const brokenWrites: readonly BrokenStore[] = [
  breaksMethod(
    'half a batch is applied when a later row is refused',
    'write refuses a row whose key is U+0000, and writes nothing',
    (store) => ({ write: (rows, options) => oneByOne(rows, (row) => store.write([row], options)) }),
  ),
  breaksMethod(
    'sizes are checked after writing',
    'a record over the limit at the end of a batch is refused before anything is written',
    (store) => ({
      async write(rows, options) {
        const results = await store.write(rows, options)
        checkRowWrites(rows, store.limits)
        return results
      },
    }),
    { check: (rows, limits) => checkRowWrites(rows, { ...limits, maxRecBytes: Infinity }) },
  ),
  breaksMethod('a batch is cut at its limit', 'a call of one row more than the limit', (store) => ({
    async write(rows, options) {
      await store.write(rows.slice(0, store.limits.maxBatchRows), options)
      return rows.map((): WriteResult => ({ status: 'applied' }))
    },
  })),
  breaksMethod('a batch is written last row first', 'one key in one call: falling seqs', (store) => ({
    write: async (rows, options) => (await store.write(rows.toReversed(), options)).toReversed(),
  })),
  breaksMethod('of a key that comes twice only the last is written', 'one key in one call: two claims', (store) => ({
    async write(rows, options) {
      const last = new Map(rows.map((row) => [JSON.stringify([row.entity, row.key]), row]))
      const kept = [...last.values()]
      const results = await store.write(kept, options)
      return rows.map((row) => results[kept.findIndex((k) => k.entity === row.entity && k.key === row.key)]!)
    },
  })),
  breaksMethod('a stale row ends its batch', 'a stale row stops no other row', (store) => ({
    async write(rows, options) {
      const results: WriteResult[] = []
      for (const row of rows) {
        results.push(...(await store.write([row], options)))
        if (results.at(-1)!.status === 'stale') break
      }
      return [...results, ...rows.slice(results.length).map((row) => ({ status: 'stale' as const, seq: row.seq }))]
    },
  })),
  breaksMethod('results are in the order of keys', 'results are in the order of the rows', (store) => ({
    write: (rows, options) =>
      store.write(
        [...rows].toSorted((a, b) => (a.key < b.key ? -1 : 1)),
        options,
      ),
  })),
  breaksMethod(
    'claims atomic batches, but writes row by row',
    'who reads one row of a batch finds the others too, whichever is read first',
    (store) => ({
      async write(rows, options) {
        checkRowWrites(rows, store.limits)
        return oneByOne(rows, (row) => store.write([row], options))
      },
    }),
  ),
  breaksRule('expiry is lost', 'both times are read back, each as its own, by load and scan', {
    takeIn: ({ entity, key, seq, rec, updatedAtMs }) => copyRow({ entity, key, seq, rec, updatedAtMs }),
  }),
  breaksRule('an expiry is never cleared', 'a later write without expiry clears it', {
    takeIn: (write, stored) => copyRow({ ...write, expiresAtMs: write.expiresAtMs ?? stored?.expiresAtMs }),
  }),
  breaksRule('updatedAtMs is lost', 'updatedAtMs 1700000000000 is read back', {
    takeIn: (write) => copyRow({ ...write, updatedAtMs: 0 }),
  }),
  breaksRule('updatedAtMs is the own clock', 'updatedAtMs 0 is read back', {
    takeIn: (write) => copyRow({ ...write, updatedAtMs: systemClock().nowMs() }),
  }),
  breaksRule('times are kept in seconds', 'both times are read back, each as its own, by load and scan', {
    takeIn: (write) => copyRow({ ...write, updatedAtMs: Math.floor(write.updatedAtMs / 1000) * 1000 }),
  }),
  breaksRule('expired rows are hidden', 'an expired row is loaded and scanned: hiding it is the work of the models', {
    giveOut: (row) => ((row.expiresAtMs ?? Infinity) <= systemClock().nowMs() ? undefined : copyRow(row)),
  }),
  breaksRule('bytes are not copied in', 'bytes are copied in: changing them after the write changes nothing stored', {
    takeIn: (write) => ({ ...copyRow(write), rec: write.rec }),
  }),
  breaksRule(
    'bytes are copied in by slice, which some arrays share',
    'bytes are copied in from arrays that share their memory when sliced',
    { takeIn: (write) => ({ ...copyRow(write), rec: write.rec.slice() }) },
  ),
  breaksRule('bytes are not copied out', 'bytes are copied out of load: changing them changes nothing stored', {
    giveOut: (row) => row,
  }),
  breaksRule('bytes pass through a text', 'a record of bytes that are no UTF-8 is read back exactly', {
    takeIn: (write) => copyRow({ ...write, rec: new TextEncoder().encode(new TextDecoder().decode(write.rec)) }),
  }),
  breaksRule('the buffer behind the bytes is kept', 'a part of a larger buffer is stored without the rest', {
    takeIn: (write) => copyRow({ ...write, rec: new Uint8Array(write.rec.buffer) }),
  }),
  breaksRule('the guard is given out with the row', 'rows have the properties of the contract and no others', {
    takeIn: (write) => ({ ...write, rec: new Uint8Array(write.rec) }),
    giveOut: (row) => ({ ...row, rec: new Uint8Array(row.rec) }),
  }),
  breaksRule('remove ignores seq', 'remove with an older seq', { removes: () => true }),
  breaksMethod('remove counts what it was asked', 'remove of a key that is not there', (store) => ({
    async remove(ids, options) {
      await store.remove(ids, options)
      return ids.length
    },
  })),
  breaksMethod('removeEntity stops after a page', 'removeEntity takes all rows, however many', (store) => ({
    removeEntity: async (entity, options) => store.remove(await store.scan(entity, { limit: 1000 }), options),
  })),
  breaksMethod('removeEntity takes all that begin like it', 'removeEntity of e spares entity "ee"', (store) => ({
    async removeEntity(entity, options) {
      let removed = 0
      for (const name of await store.entities({ prefix: entity, limit: 1000 }, options)) {
        removed += await store.removeEntity(name, options)
      }
      return removed
    },
  })),
  breaksMethod(
    'ignores signals',
    'write with a signal that has fired rejects with aborted and changes nothing',
    (store) => ({ write: (rows) => store.write(rows) }),
  ),
  breaksMethod('goes on after close', 'load after close rejects with unavailable', () => ({ close: async () => {} })),
  breaksMethod('close does not wait', 'close waits for what is under way', (store) => ({
    write: (rows, options) => oneByOne(rows, (row) => later(row, store, options)),
    close: async () => {},
  })),
  breaksRule('checks nothing', 'write refuses a row whose seq is NaN, and writes nothing', {
    check: () => {},
    takeIn: (write) => copyRow(write),
    decide: right.decide,
  }),
]

async function oneByOne(
  rows: readonly RowWrite[],
  write: (row: RowWrite) => Promise<WriteResult[]>,
): Promise<WriteResult[]> {
  const results: WriteResult[] = []
  for (const row of rows) results.push(...(await write(row)))
  return results
}

/** As over a network: the answer takes some turns of the event loop. */
async function later(row: RowWrite, store: RowStore, options: CallOptions | undefined): Promise<WriteResult[]> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 0))
  return store.write([row], options)
}
