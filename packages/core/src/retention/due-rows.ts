import { AUDIT_ENTITY } from '../erasure/audit.ts'
import { segmentsOf } from '../erasure/row-kind.ts'
import { walkEntities, walkRows } from '../migration/walk-rows.ts'
import { encodeTuple, type Key } from '../rows/keys.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'

const OWNERS = encodeTuple(['owner'])
const WORK = encodeTuple(['work'])

/** Records of every owner, below a prefix of keys, that were not written since `untilMs`. */
export async function* dueRecords(
  store: RowStore,
  prefix: Key,
  untilMs: number,
  call: CallOptions,
): AsyncGenerator<Row> {
  for await (const entity of walkEntities(store, { prefix: OWNERS, ...call })) {
    for await (const row of walkRows(store, entity, { prefix: encodeTuple(prefix), ...call })) {
      // A tombstone goes by itself: it keeps late duplicates away.
      if (row.rec.length > 0 && row.updatedAtMs <= untilMs) yield row
    }
  }
}

/** Dead letters that old, each with its place in the list, which names all of them. */
export async function* dueDeadLetters(store: RowStore, untilMs: number, call: CallOptions): AsyncGenerator<Row> {
  for await (const shard of walkEntities(store, { prefix: WORK, ...call })) {
    for await (const listed of walkRows(store, shard, { prefix: encodeTuple(['x']), ...call })) {
      if (listed.updatedAtMs > untilMs) continue
      const [, kind = ''] = segmentsOf(shard)
      const [, id = '', eventId = ''] = segmentsOf(listed.key)
      const [letter] = await store.load([{ entity: encodeTuple([kind, id]), key: encodeTuple(['d', eventId]) }], call)
      // The letter before what finds it.
      if (letter !== undefined && letter.updatedAtMs <= untilMs) yield letter
      yield listed
    }
  }
}

export async function* dueAudits(store: RowStore, untilMs: number, call: CallOptions): AsyncGenerator<Row> {
  for await (const row of walkRows(store, AUDIT_ENTITY, call)) if (row.updatedAtMs <= untilMs) yield row
}
