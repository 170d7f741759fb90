import type { JSONValue } from '@ai-sdk/provider'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { systemClock, type Clock } from '../clock.ts'
import { KeepsakeError } from '../errors.ts'
import type { Filter } from './filter.ts'
import { checkStore } from '../rows/check-store.ts'
import { checkText, type Key } from '../rows/keys.ts'
import type { Listing, ListOptions } from '../listing.ts'
import { checkedSubject, ownerEntity, ownerKey, THREADS_AREA, RECALLED_AREA, DUE_AREA, type Owner } from '../owner.ts'
import { recordReader } from './record-reader.ts'
import { checkRecordIndex, type RecordIndexOptions } from './index-options.ts'
import { followedWrite, recordIndexer, type RecordIndexer } from './record-indexer.ts'
import { recordRows, type Entry, type RecordRows } from './record-rows.ts'
import type { Recency, SearchIndex } from '../search/search-index.ts'
import { recordWriter } from './record-writer.ts'
import type { CallOptions, RowStore } from '../rows/row-store.ts'
import { checkIsSchema } from '../values/standard-schema.ts'

export interface PutOptions extends CallOptions {
  /** The entry is gone so long after the write, in milliseconds: a whole number from 1. Left out: it stays; `update` keeps what was set. */
  ttlMs?: number
  /** Write only if the entry has this version; `null`: only if there is none. */
  ifVersion?: number | null
  /**
   * Names this write, the same for every attempt at it in whatever process: 1 to 512 bytes. An attempt whose write the
   * entry holds already, among its last 16, changes nothing and gives the entry as it is. A put without `ifVersion`
   * then reads the entry first. Blind puts and deletions forget what was written before them. Ignored by `delete`.
   */
  opId?: string | undefined
  /** Whose personal data this is, where that is not the owner. Found by it when the person is erased. */
  subject?: Owner
  /** What this was derived from: ids of messages, files, records. */
  sources?: readonly string[]
  /**
   * What of the value is searched, as dotted paths; `false`: nothing. Kept with the record, by `update` too. Left out:
   * what the index of these records says.
   */
  index?: false | readonly string[]
}

export interface SearchOptions extends ListOptions {
  filter?: Filter
  /** A small preference for what is new, off by default: a search by an index then adds it to the scores. */
  recency?: Omit<Recency, 'nowMs'>
}

/** Keyed records of one owner. Keys are tuples; the last segment names the record, those before it its namespace. */
export interface Records<V> {
  get(key: Key, options?: CallOptions): Promise<Entry<V> | undefined>
  getMany(keys: readonly Key[], options?: CallOptions): Promise<(Entry<V> | undefined)[]>
  /**
   * Writes a value. Without `ifVersion` it is blind: one round trip, the last put wins, and if its answer is lost it may
   * take effect around another's write; with it, `undefined` means that the version did not hold and nothing was written.
   */
  put(key: Key, value: V, options?: PutOptions): Promise<Entry<V> | undefined>
  /** Many puts, each as `put` does it; all are checked before the first is written. Blind ones go in one round trip. */
  putMany(
    entries: readonly { key: Key; value: V; options?: PutOptions }[],
    options?: CallOptions,
  ): Promise<(Entry<V> | undefined)[]>
  /**
   * Reads, changes and writes back; where another write came between, again on the fresh value, so `change` must be
   * pure. Returning `undefined` leaves the entry as it is. No write of others is lost and none of ours is repeated.
   * Throws `conflict` (retryable) after 200 attempts.
   */
  update(key: Key, change: (value: V | undefined) => V | undefined, options?: PutOptions): Promise<Entry<V> | undefined>
  /** Whether there was one. With `ifVersion`: only if it has this version. */
  delete(key: Key, options?: PutOptions): Promise<boolean>
  /** Deletes what `list` shows below `prefix`, whatever the number, and returns how many went. */
  deleteAll(prefix: Key, options?: CallOptions): Promise<number>
  /** The namespaces exactly `depth` segments (default 1) below `prefix`, in order. Skips over what is inside them. */
  prefixes(prefix: Key, options?: ListOptions & { depth?: number }): Listing<string[]>
  /** Entries whose keys begin with the whole segments of `prefix`, in the order of their keys. `limit` is 20 by default. */
  list(prefix: Key, options?: ListOptions & { filter?: Filter }): Listing<Entry<V>>
  /**
   * Entries that `query` is about, the best first. A query without words lists.
   *
   * With an `index` by words, by meaning where it embeds, and by what the memories know about themselves; every row that
   * is returned was looked at. A cursor names what was shown, so that no page repeats or passes over what stays.
   *
   * Without one: entries that share words with the query, those with most of them first, then by key. Reads everything
   * below `prefix` for every page that is awaited, and once for a whole `for await`, which holds what it found.
   */
  search(prefix: Key, query: string, options?: SearchOptions): Listing<Entry<V>>
}

export interface RecordsOptions<V> {
  /** Checks (and may transform) every value before it is written. Any Standard Schema. */
  schema?: StandardSchemaV1<unknown, V>
  /** Default: the process's. */
  clock?: Clock
  /** A key space of its own within the owner's memory, `'r'` by default: memory files use `'f'`, lists of threads `'t'`. */
  area?: string
  /** Whose personal data all of these are, where that is not the owner. A put may say otherwise. */
  subject?: Owner
  /** Finds records again: an index, or how to make and fill one. Follows every write through these records. */
  index?: SearchIndex | RecordIndexOptions
}

/**
 * The records of one owner, who is one entity of the store: nobody else's rows are ever read, and erasing an owner is one
 * operation. Making this object costs nothing.
 *
 * Throws `invalid_key` for an owner or key that cannot be stored, `invalid_value` for a value that is neither JSON nor
 * bytes, `too_large` over the store's limit; always before anything is written.
 *
 * ```ts
 * const memories = records(store, ['users', 'ada'])
 * await memories.put(['memories', 'language'], { content: 'Prefers answers in German.' })
 * ```
 */
export function records<V = JSONValue>(store: RowStore, owner: Owner, options: RecordsOptions<V> = {}): Records<V> {
  const { schema, clock = systemClock() } = options
  checkIsSchema(schema)
  const { owner: ownerTuple, rows, indexer } = recordArea(store, owner, clock, options)
  const reader = recordReader<V>(store, rows, clock, indexer)
  const writeRows: RowStore['write'] =
    indexer === undefined ? (writes, o) => store.write(writes, o) : followedWrite(store, indexer)
  const ready = async (o: CallOptions): Promise<void> => indexer?.ready(o)
  const subject = options.subject === undefined ? undefined : checkedSubject(options.subject)
  const writer = recordWriter<V>({ store, rows, clock, owner: ownerTuple, subject, schema, ready, writeRows })
  return { ...reader, ...writer }
}

/**
 * Brings an index in line with the records of an owner: indexes what is stored and not indexed, takes out what is gone.
 * Returns how many records are in it. Pass what `records` was given. Reads all records; embeds only what changed.
 */
export async function reindexRecords(
  store: RowStore,
  owner: Owner,
  options: Pick<RecordsOptions<unknown>, 'area' | 'clock' | 'index'> & CallOptions,
): Promise<number> {
  const { clock = systemClock(), signal } = options
  const { indexer } = recordArea(store, owner, clock, options)
  if (indexer === undefined) throw new KeepsakeError('invalid_value', 'reindexRecords: index is missing.')
  return indexer.rebuild({ signal })
}

function recordArea(
  store: RowStore,
  given: Owner,
  clock: Clock,
  { area = 'r', index }: Pick<RecordsOptions<unknown>, 'area' | 'index'>,
): { owner: Key; rows: RecordRows; indexer: RecordIndexer | undefined } {
  checkStore(store)
  checkArea(area)
  const owner = ownerKey(given)
  const rows = recordRows(store, ownerEntity(owner), area)
  const indexer = index === undefined ? undefined : recordIndexer(store, rows, clock, checkRecordIndex(index))
  return { owner, rows, indexer }
}

const TAKEN_AREAS: ReadonlyMap<string, string> = new Map([
  [THREADS_AREA, "the owner's list of threads"],
  [RECALLED_AREA, 'when records were recalled'],
  [DUE_AREA, 'what retention noted'],
])

function checkArea(area: string): void {
  checkText(area, 'area')
  if (area === '') throw new KeepsakeError('invalid_key', 'area is empty; leave it out.')
  const taken = TAKEN_AREAS.get(area)
  if (taken !== undefined) throw new KeepsakeError('invalid_key', `area ${area} holds ${taken}; take another one.`)
}
