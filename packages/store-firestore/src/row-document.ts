import type { DocumentSnapshot, Timestamp } from '@google-cloud/firestore'
import type { Row } from '@keepsake/core'
import { PART_BYTES } from './limits.ts'
import { documentId } from './places.ts'

/** What guards need of a row that is stored. */
export interface RowHead {
  seq: number
  chunkIds: readonly string[]
  /** Changes with every write, so a commit that names it applies to nothing else. */
  updateTime: Timestamp
}

/** The fields of {@link RowHead}. */
export const HEAD_FIELDS: string[] = ['seq', 'chunks']

export interface Chunk {
  id: string
  rec: Uint8Array
}

/** The last moment that Firestore can write as a time: the end of the year 9999. */
const LAST_TIME_MS = 253_402_300_799_999

/**
 * A row as documents: the fields of its own, with the first part of the record, and a chunk for each further part. Chunks
 * are named after the whole record, so under one name there is never other content: who finds all chunks that a row names
 * has the record that was written with it.
 */
export function toDocuments({ key, seq, rec, updatedAtMs, expiresAtMs }: Row): {
  fields: Record<string, unknown>
  chunks: Chunk[]
} {
  const chunks: Chunk[] = []
  const digest = rec.length > PART_BYTES ? documentId(rec) : ''
  for (let at = PART_BYTES; at < rec.length; at += PART_BYTES) {
    chunks.push({ id: `${digest}-${chunks.length + 1}`, rec: rec.subarray(at, at + PART_BYTES) })
  }
  const fields = {
    key,
    seq,
    updatedAtMs,
    expiresAt: expiryField(expiresAtMs, chunks.length > 0),
    rec: rec.subarray(0, PART_BYTES),
    chunks: chunks.map(({ id }) => id),
  }
  return { fields, chunks }
}

/**
 * A time where a TTL policy may remove the document, else a number, which policies pass over: for times that Firestore
 * cannot write, and for rows with chunks, which the policy would leave behind.
 */
function expiryField(expiresAtMs: number | undefined, hasChunks: boolean): Date | number | null {
  if (expiresAtMs === undefined) return null
  return hasChunks || expiresAtMs > LAST_TIME_MS ? expiresAtMs : new Date(expiresAtMs)
}

/** What a row's document holds, as the client gives it: with `useBigInt` integers are bigints. */
interface RowFields {
  key: string
  seq: number | bigint
  updatedAtMs: number | bigint
  expiresAt: Timestamp | number | bigint | null
  rec: Uint8Array
  chunks: string[]
}

export function toHead(document: DocumentSnapshot): RowHead | undefined {
  const fields = document.data() as RowFields | undefined
  return fields && { seq: Number(fields.seq), chunkIds: fields.chunks, updateTime: document.updateTime! }
}

/** The row of a document that exists, with the parts of its record that lie in chunks. */
export function toRow(entity: string, document: DocumentSnapshot, chunks: readonly Uint8Array[]): Row {
  const { key, seq, updatedAtMs, expiresAt, rec } = document.data() as RowFields
  return {
    entity,
    key,
    seq: Number(seq),
    rec: chunks.length === 0 ? new Uint8Array(rec) : joined([rec, ...chunks]),
    updatedAtMs: Number(updatedAtMs),
    ...(expiresAt !== null && {
      expiresAtMs: typeof expiresAt === 'object' ? expiresAt.toMillis() : Number(expiresAt),
    }),
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
