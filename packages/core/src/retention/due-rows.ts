import { AUDIT_ENTITY } from '../erasure/audit.ts'
import { segmentsOf } from '../erasure/row-kind.ts'
import { walkEntities, walkRows } from '../migration/walk-rows.ts'
import { encodeTuple } from '../rows/keys.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'

const WORK = encodeTuple(['work'])

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
