import {
  decodeTuple,
  encodeEnvelope,
  decodeEnvelope,
  encodeTuple,
  type Row,
  type RowWrite,
  type Storable,
} from '@keepsake/core'
import type { Place } from './head.ts'
import { ascending, damaged, engineRow, valueOf } from './row.ts'

/** A failure that the handler was shown, as it is shown again. */
export interface JournaledFailure {
  /** An `ErrorCode`. */
  code: string
  message: string
  retryable: boolean
  details?: { [key: string]: Storable }
}

/** What a call of the handler came to. */
export interface JournalEntry {
  /** Fingerprint of what was asked. */
  hash: string
  /** Greater than that of every entry whose result was used before this was asked, in whatever scope. */
  order: number
  /** Left out, with no `failure`: `undefined`, or a question. */
  result?: Storable
  failure?: JournaledFailure
  /** What a question asks. */
  question?: Storable
  /** What was read from outside since the entry before, by the ordinal of the read. */
  reads?: { [ordinal: string]: Storable }
}

/** The answer to a question. */
export interface Answer {
  answer: Storable
  /** Fingerprint of the question that was answered. */
  hash: string
}

/** The journal of an activation as it was loaded. */
export interface Journal {
  entries: Map<string, JournalEntry>
  answers: Map<string, Answer>
}

const ANSWER = 'a'
const PART = 'p'

/** All rows of one activation's journal. */
export function journalPrefix(s: number): string {
  return encodeTuple(['j', ascending(s)])
}

export const JOURNALS: string = encodeTuple(['j'])

/** The version of the activation that a row of a journal belongs to. */
export function journalVersion(key: string): number {
  return Number.parseInt(decodeTuple(key)[1]!, 16)
}

/** Names a place within an activation. */
export function placeName({ scope, ordinal }: Place): string {
  return `${ascending(ordinal)}${scope}`
}

function entryKey(s: number, { scope, ordinal }: Place): string {
  return encodeTuple(['j', ascending(s), scope, ascending(ordinal)])
}

export function answerKey(s: number, { scope, ordinal }: Place): string {
  return encodeTuple(['j', ascending(s), scope, ascending(ordinal), ANSWER])
}

export function entryId(entity: string, s: number, place: Place): { entity: string; key: string } {
  return { entity, key: entryKey(s, place) }
}

/** What of a record is the engine's own, beside the entry's bytes. */
const OVERHEAD_BYTES = 256

/**
 * The rows of an entry, the entry itself last. One that is larger than a record is cut into parts, which stand under the id
 * of their write: those of two attempts never mix. Parts go in one call and the entry, after its answer, in another.
 */
export function entryRows(
  entity: string,
  s: number,
  place: Place,
  entry: JournalEntry,
  write: { nowMs: number; writeId: string; maxRecBytes: number },
): { parts: RowWrite[]; entry: RowWrite } {
  const { nowMs, writeId, maxRecBytes } = write
  const key = entryKey(s, place)
  const row = (value: Storable): RowWrite => engineRow({ entity, key, value, nowMs, guard: 'absent', writeId }, s)
  const whole = row(entry as unknown as Storable)
  if (whole.rec.length <= maxRecBytes) return { parts: [], entry: whole }
  const bytes = encodeEnvelope({ value: entry as unknown as Storable, createdAtMs: nowMs })
  const size = maxRecBytes - OVERHEAD_BYTES
  const count = Math.ceil(bytes.length / size)
  const parts = Array.from({ length: count }, (_, index) =>
    engineRow(
      {
        entity,
        key: partKey(key, writeId, index),
        value: bytes.slice(index * size, (index + 1) * size),
        nowMs,
        guard: 'absent',
      },
      s,
    ),
  )
  return { parts, entry: row({ hash: entry.hash, parts: writeId, count }) }
}

function partKey(key: string, writeId: string, index: number): string {
  return key + encodeTuple([PART, writeId, ascending(index)])
}

type StoredEntry = JournalEntry | { hash: string; parts: string; count: number }

/** The keys of the parts of an entry; none, if it is whole. */
export function partKeysOf(row: Row): string[] {
  const stored = valueOf<StoredEntry>(row)
  if (!('parts' in stored)) return []
  return Array.from({ length: stored.count }, (_, index) => partKey(row.key, stored.parts, index))
}

/** Fingerprint of what was asked, of an entry that may lie in parts. */
export function askedHash(row: Row): string {
  return valueOf<StoredEntry>(row).hash
}

/** The entry that a row holds, together with its parts. */
export function readEntry(row: Row, partOf: (key: string) => Row | undefined): JournalEntry {
  const keys = partKeysOf(row)
  if (keys.length === 0) return valueOf<JournalEntry>(row)
  const parts = keys.map((key) => {
    const part = partOf(key)
    if (part === undefined) throw damaged('Part of a journaled result is missing')
    return valueOf<Uint8Array>(part)
  })
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return decodeEnvelope(bytes).value as unknown as JournalEntry
}

export function answerRow(
  entity: string,
  s: number,
  place: Place,
  answer: Answer,
  write: { nowMs: number; writeId: string },
): RowWrite {
  const value = answer as unknown as Storable
  return engineRow({ entity, key: answerKey(s, place), value, guard: 'absent', ...write }, s)
}

export function readAnswer(row: Row | undefined): Answer | undefined {
  return row && valueOf<Answer>(row)
}

/** The journal that these rows make. */
export function readJournal(rows: readonly Row[]): Journal {
  const byKey = new Map(rows.map((row) => [row.key, row]))
  const journal: Journal = { entries: new Map(), answers: new Map() }
  for (const row of rows) {
    const [, , scope = '', ordinal = '', kind] = decodeTuple(row.key)
    const name = placeName({ scope, ordinal: Number.parseInt(ordinal, 16) })
    if (kind === ANSWER) journal.answers.set(name, valueOf<Answer>(row))
    else if (kind === undefined)
      journal.entries.set(
        name,
        readEntry(row, (key) => byKey.get(key)),
      )
  }
  return journal
}
