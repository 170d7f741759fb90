import { walkEntities, walkRows } from '../migration/walk-rows.ts'
import { encodeTuple } from '../rows/keys.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'
import { segmentsOf } from './row-kind.ts'

/** Where engines list what is to be done, for whichever entity. */
const WORK_PREFIX = encodeTuple(['work'])
/** Of the rows of these lists: the place of the entity's id in the key. */
const ID_AT: Readonly<Record<string, number>> = { q: 2, due: 2, x: 1 }

/**
 * The rows with which engines list work of these entities. Reads all lists: they have a row for each event that waits, each
 * dead letter, and each entity whose working memory will expire.
 */
export async function* workRows(
  store: RowStore,
  entities: ReadonlySet<string>,
  options: CallOptions,
): AsyncGenerator<Row> {
  if (entities.size === 0) return
  for await (const shard of walkEntities(store, { prefix: WORK_PREFIX, ...options })) {
    const [, kind = ''] = segmentsOf(shard)
    for await (const row of walkRows(store, shard, options)) {
      const key = segmentsOf(row.key)
      const id = key[ID_AT[key[0] ?? ''] ?? -1]
      if (id !== undefined && entities.has(encodeTuple([kind, id]))) yield row
    }
  }
}
