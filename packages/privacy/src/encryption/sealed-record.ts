import { encodeTuple, KeepsakeError, type Bytes, type Row, type RowId } from '@keepsake/core'
import { TAG_BYTES, type SealingKey } from './gcm-siv.ts'
import { SEALED_MARK } from './sealed-mark.ts'
import { SUBJECT_BYTES, type DataKeyId } from './subject-keys.ts'

const FORMAT = 1
const GENERATION_AT = 2 + SUBJECT_BYTES
const HEAD_BYTES = GENERATION_AT + 8

/** Bytes that encryption adds to a record: mark, format, subject, generation, tag. */
export const SEALED_BYTES: number = HEAD_BYTES + TAG_BYTES

/**
 * A record as it is stored: `fe`, the format, 16 bytes that name the subject, the generation of its key in 4 bytes (big
 * endian) and again as its complement, and the ciphertext with its tag. Bound to its entity, its key, its version and this head: it opens nowhere else.
 */
export function sealRecord(rec: Bytes, id: DataKeyId, key: SealingKey, row: RowId & { seq: number }): Bytes {
  const head = headOf(id)
  return key.seal(rec, associated(head, row), head)
}

/**
 * Which key opens a stored record; `undefined` if it is not encrypted. Throws `unsupported` for a later format, and
 * `invalid_value` where the head contradicts itself: a damaged generation must not pass for one that was destroyed.
 */
export function dataKeyIdOf({ rec, ...row }: Row): DataKeyId | undefined {
  if (rec[0] !== SEALED_MARK) return undefined
  if (rec[1] !== FORMAT) {
    throw new KeepsakeError(
      'unsupported',
      `The row ${shown(row)} is encrypted in format ${rec[1]}; this version reads ${FORMAT}. Upgrade @keepsake/privacy.`,
    )
  }
  if (rec.length < SEALED_BYTES) throw damaged(row, 'it is cut short')
  const view = new DataView(rec.buffer, rec.byteOffset)
  const generation = view.getUint32(GENERATION_AT)
  if (view.getUint32(GENERATION_AT + 4) !== ~generation >>> 0) throw damaged(row, 'its head is damaged')
  return { subject: rec.slice(2, GENERATION_AT), generation }
}

/** What {@link sealRecord} sealed. Throws `invalid_value`, naming the row and nothing of its content, if a bit of it is another. */
export function openRecord(row: Row, key: SealingKey): Bytes {
  const rec = key.open(row.rec.subarray(HEAD_BYTES), associated(row.rec.subarray(0, HEAD_BYTES), row))
  if (rec !== undefined) return rec
  throw damaged(row, 'it was damaged, changed, or copied from another row or version')
}

/** The error of a row that cannot be read. */
export function damaged(row: RowId & { seq: number }, why: string): KeepsakeError {
  const { entity, key, seq } = row
  return new KeepsakeError(
    'invalid_value',
    `The row ${shown(row)} cannot be decrypted: ${why}. It was left as it is.`,
    { details: { entity, key, seq } },
  )
}

function shown({ entity, key }: RowId): string {
  return `${JSON.stringify(key)} of ${JSON.stringify(entity)}`
}

function headOf({ subject, generation }: DataKeyId): Bytes {
  const head = new Uint8Array(HEAD_BYTES)
  head[0] = SEALED_MARK
  head[1] = FORMAT
  head.set(subject, 2)
  const view = new DataView(head.buffer)
  view.setUint32(GENERATION_AT, generation)
  view.setUint32(GENERATION_AT + 4, ~generation)
  return head
}

const utf8 = new TextEncoder()

function associated(head: Bytes, { entity, key, seq }: RowId & { seq: number }): Bytes {
  const id = utf8.encode(encodeTuple([entity, key, String(seq)]))
  const bytes = new Uint8Array(head.length + id.length)
  bytes.set(head)
  bytes.set(id, head.length)
  return bytes
}
