import { TOMBSTONE_MS } from '../records/record-rows.ts'
import type { CallOptions, RowStore } from '../rows/row-store.ts'
import { encodeEnvelope } from '../values/envelope.ts'
import { isRevoked } from './append-row.ts'
import { appendKey, type Place } from './thread-keys.ts'

/**
 * Makes sure that the append that was to stand at `place` never lands. Returns whether that is so; it is not, if it has
 * landed. `nowMs` is when; the mark goes by itself 30 days later.
 */
export async function revoke(
  store: RowStore,
  entity: string,
  life: number,
  place: Place,
  nowMs: number,
  options: CallOptions,
): Promise<boolean> {
  const id = { entity, key: appendKey(life, place) }
  const rec = encodeEnvelope({ value: null, createdAtMs: nowMs })
  const mark = { ...id, seq: place.seq, rec, updatedAtMs: nowMs, expiresAtMs: nowMs + TOMBSTONE_MS }
  const [result] = await store.write([{ ...mark, guard: 'absent' }], options)
  if (result!.status === 'applied') return true
  const [row] = await store.load([id], options)
  return row !== undefined && isRevoked(row)
}
