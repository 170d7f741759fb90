import type { RowWrite } from '@keepsake/core'

/** A write with a text or bytes as its record. */
export function put(
  entity: string,
  key: string,
  seq: number,
  rec: string | Uint8Array = key,
  more: Partial<RowWrite> = {},
): RowWrite {
  const bytes = typeof rec === 'string' ? new TextEncoder().encode(rec) : rec
  return { entity, key, seq, rec: bytes, updatedAtMs: 1_800_000_000_000, ...more }
}
