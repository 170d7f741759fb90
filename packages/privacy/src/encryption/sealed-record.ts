import { encodeTuple, KeepsakeError, type Bytes, type Key, type RowId } from '@keepsake/core'
import { TAG_BYTES, type SealingKey } from './gcm-siv.ts'
import { SEALED_MARK } from './sealed-mark.ts'
import { SUBJECT_BYTES, type DataKeyId } from './subject-keys.ts'

const FORMAT = 1
const GENERATION_AT = 2 + SUBJECT_BYTES
const HEAD_BYTES = GENERATION_AT + 8

/** Bytes that encryption adds to a record: mark, format, subject, generation, tag. */
export const SEALED_BYTES: number = HEAD_BYTES + TAG_BYTES

/** What a sealed record is bound to: it opens nowhere else. */
export interface Place {
  parts: Key
  /** For messages: the place, and nothing of its content. */
  readonly name: string
  /** The same for programs. */
  readonly details: Readonly<Record<string, string | number>>
}

/** Of a row, in this version. */
export function rowPlace({ entity, key, seq }: RowId & { seq: number }): Place {
  return {
    parts: [entity, key, String(seq)],
    details: { entity, key, seq },
    get name() {
      return `row ${JSON.stringify(key)} of ${JSON.stringify(entity)}`
    },
  }
}

/** Of a file. A disk may spell its path in another way than it was given. */
export function filePlace(path: string): Place {
  return { parts: ['file', path.normalize()], details: { path }, name: `file ${JSON.stringify(path)}` }
}

/** The error of what cannot be read. */
export function damaged({ name, details }: Place, why: string): KeepsakeError {
  return new KeepsakeError('invalid_value', `The ${name} cannot be decrypted: ${why}. It was left as it is.`, {
    details,
  })
}

/**
 * A record as it is stored: `fe`, the format, 16 bytes that name the subject, the generation of its key in 4 bytes (big
 * endian) and again as its complement, and the ciphertext with its tag. Bound to its place and this head.
 */
export function sealRecord(rec: Bytes, id: DataKeyId, key: SealingKey, place: Place): Bytes {
  return sealRecords([{ rec, place }], id, key)[0]!
}

/** The same for several of one subject, which is faster than one by one. */
export function sealRecords(records: readonly { rec: Bytes; place: Place }[], id: DataKeyId, key: SealingKey): Bytes[] {
  const head = headOf(id)
  return key.sealAll(records.map(({ rec, place }) => ({ plaintext: rec, associated: associated(head, place), head })))
}

/**
 * Which key opens a stored record; `undefined` if it is not encrypted. Throws `unsupported` for a later format, and
 * `invalid_value` where the head contradicts itself: a damaged generation must not pass for one that was destroyed.
 */
export function dataKeyIdOf(rec: Bytes, place: Place): DataKeyId | undefined {
  if (rec[0] !== SEALED_MARK) return undefined
  if (rec[1] !== FORMAT) {
    throw new KeepsakeError(
      'unsupported',
      `The ${place.name} is encrypted in format ${rec[1]}; this version reads ${FORMAT}. Upgrade @keepsake/privacy.`,
    )
  }
  if (rec.length < SEALED_BYTES) throw damaged(place, 'it is cut short')
  const view = new DataView(rec.buffer, rec.byteOffset)
  const generation = view.getUint32(GENERATION_AT)
  if (view.getUint32(GENERATION_AT + 4) !== ~generation >>> 0) throw damaged(place, 'its head is damaged')
  return { subject: rec.slice(2, GENERATION_AT), generation }
}

/** What {@link sealRecord} sealed. Throws `invalid_value` if a bit of it is another. */
export function openRecord(sealed: Bytes, key: SealingKey, place: Place): Bytes {
  const rec = key.open(sealed.subarray(HEAD_BYTES), associated(sealed.subarray(0, HEAD_BYTES), place))
  if (rec !== undefined) return rec
  throw damaged(place, 'it was damaged, changed, or copied from another place or version')
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

function associated(head: Bytes, { parts }: Place): Bytes {
  const id = utf8.encode(encodeTuple(parts))
  const bytes = new Uint8Array(head.length + id.length)
  bytes.set(head)
  bytes.set(id, head.length)
  return bytes
}
