import { isQuarantined } from '../sources.ts'
import { decodeEnvelope, encodeEnvelope, MAX_WRITE_IDS, type Envelope } from '../values/envelope.ts'
import { KeepsakeError } from '../errors.ts'
import { checkRowText, copyTuple, decodeTuple, encodeTuple, type Key } from '../rows/keys.ts'
import { MAX_KEY_BYTES, type Bytes, type Guard, type Row, type RowStore, type RowWrite } from '../rows/row-store.ts'

/** A record as it is read: what {@link Records} returns. */
export interface Entry<V> {
  key: string[]
  value: V
  /** Grows with every write. Pass it as `ifVersion` to write only over this state. */
  version: number
  /** Unix milliseconds. Kept by `update` and by puts with `ifVersion`; a put without starts anew. */
  createdAtMs: number
  /** Unix milliseconds. */
  updatedAtMs: number
  /** Unix milliseconds from which the entry is gone. */
  expiresAtMs?: number
  /** That it was derived from something untrusted, and nobody has approved it yet: keep it out of prompts. */
  quarantined?: true
  /** Only from `search`: the share of the query's words that were found, 0 to 1; by an index, what it scored. */
  score?: number
}

/** What a write says, before it has a version. */
export interface Draft extends Omit<Envelope, 'createdAtMs'> {
  /** As in the row. */
  key: string
  writeId: string
}

/** A stored row with its envelope, or one that is not visible: removed or expired. */
export interface ReadRow {
  row: Row
  envelope: Envelope
}

/** One area of an owner's entity: how records become rows and back. */
export interface RecordRows {
  readonly entity: string
  readonly area: string
  keyOf(key: Key, what?: string): string
  prefixOf(prefix: Key): string
  /** Whether there is something to read: no tombstone, not expired. */
  visible(row: Row, nowMs: number): boolean
  read(row: Row | undefined, nowMs: number): ReadRow | undefined
  toEntry<V>(read: ReadRow): Entry<V>
  toWrite(draft: Draft, seq: number, guard: Guard, nowMs: number, previous?: Envelope): RowWrite
  toTombstone(row: Row, seq: number, nowMs: number): RowWrite
}

/** A tombstone outlives every late duplicate of what it removed. */
export const TOMBSTONE_MS: number = 30 * 24 * 60 * 60 * 1000

export function recordRows(store: RowStore, entity: string, area: string): RecordRows {
  return {
    entity,
    area,

    keyOf(key, what = 'key') {
      const segments = copyTuple(key, what)
      if (segments.length === 0)
        throw new KeepsakeError('invalid_key', `${what} is empty; a record needs at least one segment.`)
      const encoded = encodeTuple([area, ...segments])
      checkRowText(encoded, `${what}, as stored,`, MAX_KEY_BYTES)
      return encoded
    },

    prefixOf(prefix) {
      const encoded = encodeTuple([area, ...copyTuple(prefix, 'prefix')])
      checkRowText(encoded, 'prefix, as stored,', MAX_KEY_BYTES)
      return encoded
    },

    visible: isVisible,

    read(row, nowMs) {
      return row !== undefined && isVisible(row, nowMs) ? { row, envelope: decodeEnvelope(row.rec) } : undefined
    },

    toEntry<V>({ row, envelope }: ReadRow): Entry<V> {
      return {
        key: decodeTuple(row.key).slice(1),
        value: envelope.value as V,
        version: row.seq,
        createdAtMs: envelope.createdAtMs,
        updatedAtMs: row.updatedAtMs,
        ...(row.expiresAtMs !== undefined && { expiresAtMs: row.expiresAtMs }),
        ...(isQuarantined(envelope.sources) && { quarantined: true as const }),
      }
    },

    toWrite({ key, writeId, ...fields }, seq, guard, nowMs, previous) {
      const rec = encodeEnvelope({
        ...fields,
        createdAtMs: previous?.createdAtMs ?? nowMs,
        writeIds: [writeId, ...(previous?.writeIds ?? [])].slice(0, MAX_WRITE_IDS),
      })
      checkRecordSize(store, rec, 'The record')
      const { expiresAtMs } = fields
      return {
        entity,
        key,
        seq,
        rec,
        updatedAtMs: nowMs,
        ...(expiresAtMs !== undefined && { expiresAtMs }),
        guard,
      }
    },

    toTombstone({ key, seq: stored }, seq, nowMs) {
      return {
        entity,
        key,
        seq,
        rec: new Uint8Array(),
        updatedAtMs: nowMs,
        expiresAtMs: nowMs + TOMBSTONE_MS,
        guard: { seq: stored },
      }
    },
  }
}

/** The entry that a row holds, decoded anew: a caller who changes it changes nothing of ours. */
export function entryOf<V>(rows: RecordRows, row: Row): Entry<V> {
  return rows.toEntry({ row, envelope: decodeEnvelope(row.rec) })
}

/** Throws `too_large` for a record that the store would refuse. `what` begins the message. */
export function checkRecordSize(store: RowStore, rec: Bytes, what: string): void {
  const maxBytes = store.limits.maxRecBytes
  if (rec.length <= maxBytes) return
  throw new KeepsakeError(
    'too_large',
    `${what} has ${rec.length} bytes as stored; at most ${maxBytes} fit. Split it, or keep large content in a file. Nothing was written.`,
    { details: { bytes: rec.length, maxBytes } },
  )
}

function isVisible(row: Row, nowMs: number): boolean {
  return row.rec.length > 0 && (row.expiresAtMs === undefined || row.expiresAtMs > nowMs)
}
