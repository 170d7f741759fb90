import type { Clock } from '../clock.ts'
import { checkLimit, decodeCursor, encodeCursor } from '../cursor.ts'
import { KeepsakeError } from '../errors.ts'
import { compileFilter } from './filter.ts'
import { decodeTuple, describeType, encodeTuple } from '../rows/keys.ts'
import { createListing } from '../listing.ts'
import type { Entry, ReadRow, RecordRows } from './record-rows.ts'
import { searchByIndex } from './indexed-search.ts'
import type { RecordIndexer } from './record-indexer.ts'
import type { Records, SearchOptions } from './records.ts'
import { checkRecency } from '../search/checked-query.ts'
import type { CallOptions, RowStore } from '../rows/row-store.ts'
import { compareUtf8 } from '../rows/utf8.ts'
import { wordScore, wordsOf, wordsOfValue } from './words.ts'

type Reader<V> = Pick<Records<V>, 'get' | 'getMany' | 'prefixes' | 'list' | 'search'>

const SCAN_ROWS = 500

/** The reading half of {@link Records}. */
export function recordReader<V>(store: RowStore, rows: RecordRows, clock: Clock, indexer?: RecordIndexer): Reader<V> {
  /** Visible rows below a prefix, after a key, in order. The first scan asks for `atOnce`, later ones for more. */
  async function* visible(
    prefix: string,
    after: string | undefined,
    atOnce: number,
    options: CallOptions = {},
  ): AsyncGenerator<ReadRow> {
    let limit = Math.min(atOnce, SCAN_ROWS)
    for (let last = after; ; limit = Math.min(limit * 4, SCAN_ROWS)) {
      const page = await store.scan(rows.entity, { prefix, limit, ...(last !== undefined && { after: last }) }, options)
      const nowMs = clock.nowMs()
      for (const row of page) {
        const read = rows.read(row, nowMs)
        if (read !== undefined) yield read
      }
      if (page.length < limit) return
      last = page.at(-1)!.key
    }
  }

  async function getMany(
    keys: Parameters<Records<V>['getMany']>[0],
    options: CallOptions = {},
  ): Promise<(Entry<V> | undefined)[]> {
    if (!Array.isArray(keys))
      throw new KeepsakeError('invalid_key', `keys must be a list of keys; it is ${describeType(keys)}.`)
    const ids = keys.map((key, index) => ({ entity: rows.entity, key: rows.keyOf(key, `keys[${index}]`) }))
    if (ids.length === 0) return []
    const loaded = await store.load(ids, options)
    const nowMs = clock.nowMs()
    return loaded.map((row) => {
      const read = rows.read(row, nowMs)
      return read && rows.toEntry<V>(read)
    })
  }

  const reader: Reader<V> = {
    async get(key, options = {}) {
      const [row] = await store.load([{ entity: rows.entity, key: rows.keyOf(key) }], options)
      const read = rows.read(row, clock.nowMs())
      return read && rows.toEntry<V>(read)
    },

    getMany,

    list(prefix, { limit, cursor, filter = {}, ...options } = {}) {
      const below = rows.prefixOf(prefix)
      const size = checkLimit(limit)
      const holds = compileFilter(filter)
      return createListing(async (from) => {
        const items: Entry<V>[] = []
        let lastKey = ''
        const after = from === undefined ? undefined : decodeCursor(from, below)
        for await (const read of visible(below, after, size + 1, options)) {
          if (!holds(read.envelope.value)) continue
          // One more than asked for tells whether there is a next page.
          if (items.length === size) return { items, cursor: encodeCursor(lastKey) }
          items.push(rows.toEntry<V>(read))
          lastKey = read.row.key
        }
        return { items }
      }, cursor)
    },

    prefixes(prefix, { limit, cursor, depth = 1, ...options } = {}) {
      const below = rows.prefixOf(prefix)
      const size = checkLimit(limit)
      if (!Number.isSafeInteger(depth) || depth < 1) {
        throw new KeepsakeError('invalid_value', `depth must be a whole number from 1; it is ${String(depth)}.`)
      }
      const length = decodeTuple(below).length + depth
      return createListing(async (from) => {
        const items: string[][] = []
        let after = from === undefined ? undefined : decodeCursor(from, below)
        for (;;) {
          const next = await nextNamespace(below, after, length, options)
          if (next === undefined) return { items }
          if (items.length === size) return { items, cursor: encodeCursor(after!) }
          items.push(next.slice(1))
          after = pastEverythingIn(next)
        }
      }, cursor)
    },

    search(prefix, query, options = {}) {
      if (typeof query !== 'string') {
        throw new KeepsakeError('invalid_value', `query must be a text; it is ${describeType(query)}.`)
      }
      const words = wordsOf(query)
      const { limit, cursor, filter = {}, recency, ...callOptions } = options
      if (recency !== undefined) checkRecency(recency)
      if (words.size === 0) return reader.list(prefix, { ...callOptions, ...pageOf(options) })
      const below = rows.prefixOf(prefix)
      const size = checkLimit(limit)
      const holds = compileFilter(filter)
      if (indexer !== undefined) {
        const looked = { text: query, prefix: below, filter, holds, size, cursor }
        const newer = recency && { recency: { ...recency, nowMs: clock.nowMs() } }
        return searchByIndex<V>({ store, rows, clock, indexer }, { ...looked, ...newer }, callOptions)
      }

      /** All that the search finds after a cursor, the best first. */
      async function rank(from: string | undefined): Promise<Ranked[]> {
        const after = from === undefined ? undefined : decodeRank(from, below)
        const found: Ranked[] = []
        for await (const read of visible(below, undefined, SCAN_ROWS, callOptions)) {
          if (!holds(read.envelope.value)) continue
          const score = wordScore(words, wordsOfValue(read.envelope.value))
          const ranked = { read, score, key: read.row.key }
          if (score > 0 && (after === undefined || byRank(ranked, after) > 0)) found.push(ranked)
        }
        return found.toSorted(byRank)
      }
      const itemOf = ({ read, score }: Ranked): Entry<V> => ({ ...rows.toEntry<V>(read), score })

      const page = createListing(async (from) => {
        const found = await rank(from)
        const items = found.slice(0, size).map(itemOf)
        return found.length > size ? { items, cursor: encodeRank(found[size - 1]!) } : { items }
      }, cursor)
      return {
        ...page,
        // Page by page everything would be read and ranked again for each.
        async *[Symbol.asyncIterator]() {
          for (const found of await rank(cursor)) yield itemOf(found)
        },
      }
    },
  }

  async function nextNamespace(
    prefix: string,
    after: string | undefined,
    length: number,
    options: CallOptions,
  ): Promise<string[] | undefined> {
    for await (const read of visible(prefix, after, 1, options)) {
      const key = decodeTuple(read.row.key)
      if (key.length > length) return key.slice(0, length)
    }
    return undefined
  }

  return reader
}

function pageOf({ limit, cursor, filter }: SearchOptions): Pick<SearchOptions, 'limit' | 'cursor' | 'filter'> {
  return {
    ...(limit !== undefined && { limit }),
    ...(cursor !== undefined && { cursor }),
    ...(filter !== undefined && { filter }),
  }
}

interface Rank {
  score: number
  key: string
}

interface Ranked extends Rank {
  read: ReadRow
}

function byRank(a: Rank, b: Rank): number {
  return b.score - a.score || compareUtf8(a.key, b.key)
}

function encodeRank({ score, key }: Rank): string {
  return encodeCursor(JSON.stringify([score, key]))
}

function decodeRank(cursor: string, below: string): Rank {
  const text = decodeCursor(cursor, '[')
  try {
    const [score, key] = JSON.parse(text) as [unknown, unknown]
    if (typeof score === 'number' && typeof key === 'string' && key.startsWith(below)) return { score, key }
  } catch {
    // Falls through to the error below.
  }
  throw new KeepsakeError('invalid_value', 'cursor is not one that a page of this search gave; start without one.')
}

/** A string after every key inside a namespace and before those of the next: U+0002 in place of the last U+0001. */
function pastEverythingIn(namespace: readonly string[]): string {
  return `${encodeTuple(namespace).slice(0, -1)}\u0002`
}
