import { systemClock, type Clock } from '../clock.ts'
import { ownerEntity, ownerKey, RECALLED_AREA, type Owner } from '../owner.ts'
import { encodeTuple, type Key } from '../rows/keys.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'
import { writeRegistered } from '../lineage.ts'
import { encodeEnvelope } from '../values/envelope.ts'

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

/** When records were last written or recalled. One read, where some were not written since `untilMs`. */
export async function lastRecalledMs(
  store: RowStore,
  rows: readonly Row[],
  untilMs: number,
  call: CallOptions,
): Promise<number[]> {
  const records = encodeTuple(['r'])
  const marks = encodeTuple([RECALLED_AREA])
  const old = rows.filter((row) => row.updatedAtMs <= untilMs)
  if (old.length === 0) return rows.map((row) => row.updatedAtMs)
  const ids = old.map(({ entity, key }) => ({ entity, key: marks + key.slice(records.length) }))
  const found = await store.load(ids, call)
  const recalledMs = new Map(old.map((row, index) => [row, found[index]?.updatedAtMs ?? 0]))
  return rows.map((row) => Math.max(row.updatedAtMs, recalledMs.get(row) ?? 0))
}
