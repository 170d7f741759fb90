import type { JSONValue } from '@ai-sdk/provider'
import { systemClock, type Clock } from '../clock.ts'
import { walkRows } from '../migration/walk-rows.ts'
import { ownerKey, subjectEntity, type Owner } from '../owner.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'
import { decodeEnvelope, peekEnvelope } from '../values/envelope.ts'
import type { Storable } from '../values/normalise.ts'
import { derivedRows, addMessageIds, type SubjectNames } from './derived-rows.ts'
import { rowKind, segmentsOf } from './row-kind.ts'
import { isAbout, subjectEntities } from './subject-entities.ts'

/** One thing that is held about a person. A type and no interface, so that it is a JSON value. */
export type ExportedItem = {
  /** Name of the store. */
  store: string
  /** `messages`, `records`, `files`, `commits`, … as an erasure counts them; `derived`: of others, made from the person's. */
  kind: string
  /** Where it lies: whose memory, as segments. */
  entity: string[]
  key: string[]
  value: JSONValue
  /** ISO 8601, UTC. */
  createdAt?: string
  updatedAt: string
  expiresAt?: string
  /** What it was derived from. */
  sources?: string[]
}

/** Rows that say only where others are: nothing about a person that these do not say. */
const BOOKKEEPING = new Set(['directory', 'claims', 'thread_list', 'heads', 'expiry'])

/**
 * Everything that is held about a person, for the person to read: messages, records, files, working memory, what waits and
 * what failed, of all stores, and what was derived from it in memories of others. What {@link eraseSubject} would remove,
 * without bookkeeping and without what has expired or was removed. Bytes are `{ base64: … }`.
 *
 * Reads as it is read from, the rows of the person and of entities with derived records; memory stays bounded by the number
 * of their threads and messages. What is written meanwhile is in it or not.
 */
export async function* exportSubject(
  stores: RowStore | readonly RowStore[],
  subject: Owner,
  options: CallOptions & { clock?: Clock } = {},
): AsyncGenerator<ExportedItem> {
  const key = ownerKey(subject, 'subject')
  subjectEntity(key)
  const { clock = systemClock(), signal } = options
  const nowMs = clock.nowMs()
  const call = { signal }
  const list = Array.isArray(stores) ? [...new Set<RowStore>(stores)] : [stores as RowStore]
  for (const store of list) {
    const names: SubjectNames = { subject: key, threads: new Set(), messages: new Set(), derived: new Set() }
    const whole = new Set<string>()
    for await (const one of subjectEntities(store, key, call)) {
      if (one.whole) whole.add(one.entity)
      if (one.whole && segmentsOf(one.entity)[0] === 'thread') names.threads.add(segmentsOf(one.entity)[1]!)
      for await (const row of walkRows(store, one.entity, call)) {
        if (!one.whole && !isAbout(row, key)) continue
        const kind = rowKind(row.entity, row.key)
        const item = toItem(store, kind, row, nowMs)
        if (item === undefined) continue
        if (kind === 'messages') addMessageIds(names.messages, item.value)
        yield item
      }
    }
    for await (const row of derivedRows(store, names, whole, call)) {
      const item = isAbout(row, key) ? undefined : toItem(store, 'derived', row, nowMs)
      if (item !== undefined) yield item
    }
  }
}

function toItem(store: RowStore, kind: string, row: Row, nowMs: number): ExportedItem | undefined {
  const over = row.expiresAtMs !== undefined && row.expiresAtMs <= nowMs
  if (BOOKKEEPING.has(kind) || row.rec.length === 0 || over) return undefined
  const { value, createdAtMs, sources } = envelopeOf(row)
  if (kind === 'messages' && value === null) return undefined
  return {
    store: store.name,
    kind,
    entity: segmentsOf(row.entity),
    key: segmentsOf(row.key),
    value: toJson(value),
    ...(createdAtMs !== undefined && { createdAt: iso(createdAtMs) }),
    updatedAt: iso(row.updatedAtMs),
    ...(row.expiresAtMs !== undefined && { expiresAt: iso(row.expiresAtMs) }),
    ...(sources !== undefined && { sources: [...sources] }),
  }
}

/** Also of a row that something else wrote: what is there is shown. */
function envelopeOf(row: Row): { value: Storable; createdAtMs?: number; sources?: readonly string[] } {
  try {
    return decodeEnvelope(row.rec)
  } catch {
    return { value: row.rec }
  }
}

function toJson(value: Storable): JSONValue {
  if (value instanceof Uint8Array) return bytesToJson(value)
  if (Array.isArray(value)) return value.map((item: Storable) => toJson(item))
  if (typeof value !== 'object' || value === null) return value
  // Also a member that is called __proto__.
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toJson(item)]))
}

/** Working memory keeps its entries as records within a record: they are shown as what they hold. */
function bytesToJson(bytes: Uint8Array): JSONValue {
  if (peekEnvelope(bytes) === undefined) return { base64: toBase64(bytes) }
  try {
    return toJson(decodeEnvelope(bytes).value)
  } catch {
    return { base64: toBase64(bytes) }
  }
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let from = 0; from < bytes.length; from += 8192)
    binary += String.fromCharCode(...bytes.subarray(from, from + 8192))
  return btoa(binary)
}

function iso(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString()
}
