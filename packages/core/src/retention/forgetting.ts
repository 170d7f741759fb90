import { systemClock, type Clock } from '../clock.ts'
import { walkEntities, walkRows } from '../migration/walk-rows.ts'
import { ownerEntity, ownerKey, type Owner } from '../owner.ts'
import { encodeTuple, type Key } from '../rows/keys.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'
import { writeRegistered } from '../lineage.ts'
import { encodeEnvelope } from '../values/envelope.ts'

/** Where it is noted when a record was last recalled: beside the records, so that it does not change their versions. */
const RECALLED_AREA = 'ru'

/** Notes that these records of an owner were recalled now, so that forgetting leaves them. One write. */
export async function markRecalled(
  store: RowStore,
  owner: Owner,
  keys: readonly Key[],
  { clock = systemClock(), ...call }: CallOptions & { clock?: Clock } = {},
): Promise<void> {
  if (keys.length === 0) return
  const entity = ownerEntity(owner)
  const nowMs = clock.nowMs()
  const key = ownerKey(owner)
  const rec = encodeEnvelope({ value: null, createdAtMs: nowMs, owner: key })
  const rows = keys.map((recalled) => ({
    entity,
    key: encodeTuple([RECALLED_AREA, ...recalled]),
    seq: clock.nextSeq(),
    rec,
    updatedAtMs: nowMs,
  }))
  await writeRegistered(store, { entity, subjects: [key] }, rows, clock, call)
}

/** Records in a namespace, of every owner, that were neither written nor recalled since `untilMs`. */
export async function* forgotten(
  store: RowStore,
  namespace: Key,
  untilMs: number,
  call: CallOptions,
): AsyncGenerator<Row> {
  const records = encodeTuple(['r'])
  const marks = encodeTuple([RECALLED_AREA])
  for await (const entity of walkEntities(store, { prefix: encodeTuple(['owner']), ...call })) {
    for await (const row of walkRows(store, entity, { prefix: encodeTuple(['r', ...namespace]), ...call })) {
      if (row.rec.length === 0 || row.updatedAtMs > untilMs) continue
      const [mark] = await store.load([{ entity, key: marks + row.key.slice(records.length) }], call)
      if (mark === undefined || mark.updatedAtMs <= untilMs) yield row
    }
  }
}
