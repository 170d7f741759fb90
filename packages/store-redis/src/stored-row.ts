import type { Row, RowWrite } from '@keepsake/core'

/** Before the record: seq, updatedAtMs and expiresAtMs (or -1), as doubles, which hold whole numbers up to 2^53. */
const HEAD_BYTES = 24

/** A write as it is sent: copied, so that what the caller changes later is not what is written. */
export interface StoredWrite {
  entity: string
  key: string
  seq: string
  /** `m`, `a` or the expected seq. */
  guard: string
  /** Head and record in one value, so that a plain HMGET loads rows. */
  record: Buffer
}

export function encodeRow(row: RowWrite): StoredWrite {
  const record = Buffer.allocUnsafe(HEAD_BYTES + row.rec.length)
  record.writeDoubleBE(row.seq, 0)
  record.writeDoubleBE(row.updatedAtMs, 8)
  record.writeDoubleBE(row.expiresAtMs ?? -1, 16)
  record.set(row.rec, HEAD_BYTES)
  return { entity: row.entity, key: row.key, seq: String(row.seq), guard: guardOf(row), record }
}

/** `rec` is a view of what the client read, which nobody else has or changes. */
export function decodeRow(entity: string, key: string, record: Buffer): Row {
  const row: Row = {
    entity,
    key,
    seq: record.readDoubleBE(0),
    rec: new Uint8Array(record.buffer, record.byteOffset + HEAD_BYTES, record.length - HEAD_BYTES),
    updatedAtMs: record.readDoubleBE(8),
  }
  const expiresAtMs = record.readDoubleBE(16)
  if (expiresAtMs >= 0) row.expiresAtMs = expiresAtMs
  return row
}

function guardOf({ guard = 'monotonic' }: RowWrite): string {
  if (guard === 'monotonic') return 'm'
  return guard === 'absent' ? 'a' : String(guard.seq)
}
