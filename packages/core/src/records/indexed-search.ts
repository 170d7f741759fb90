import type { Clock } from '../clock.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import { KeepsakeError } from '../errors.ts'
import { createListing, type Listing } from '../listing.ts'
import type { CallOptions, RowStore } from '../rows/row-store.ts'
import type { SearchHit, SearchQuery } from '../search/search-index.ts'
import type { RecordIndexer } from './record-indexer.ts'
import type { Entry, RecordRows } from './record-rows.ts'

interface IndexedSearch extends Omit<SearchQuery, 'limit' | 'vector'> {
  /** Encoded. */
  prefix: string
  /** Whether a value is looked for: the filter, compiled. */
  holds: (value: unknown) => boolean
  size: number
  cursor: string | undefined
}

/** Rounds in which rows that the index has wrong are put right before the rest is taken as it is. */
const MOST_REPAIRS = 3

/**
 * Searches by an index, and never believes it: rows are loaded before they are returned, what is gone is left out, and
 * what has changed since it was indexed is indexed and ranked again.
 *
 * A cursor names what was on the pages before it, so that none of it is shown again and nothing that stays is passed
 * over, however rows and scores change between two pages.
 */
export function searchByIndex<V>(
  { store, rows, clock, indexer }: { store: RowStore; rows: RecordRows; clock: Clock; indexer: RecordIndexer },
  { size, cursor, holds, ...query }: IndexedSearch,
  options: CallOptions,
): Listing<Entry<V>> {
  const stamp = shortHash(`${query.prefix}\0${query.text}`)

  /** Everything that is found and not in `shown`, the best first; adds what it gives to `shown`. */
  async function* find(shown: Set<string>): AsyncGenerator<Entry<V>> {
    const asked = await indexer.prepare(query.text, options)
    let limit = shown.size + size + 1
    for (let repairs = 0; ;) {
      const hits = await indexer.query({ ...query, ...asked, limit }, options)
      const fresh = hits.filter(({ id }) => !shown.has(shortHash(id)))
      const { entries, repaired } = await look(fresh)
      if (repaired && repairs < MOST_REPAIRS) {
        repairs++
        continue
      }
      for (const { id, entry } of entries) {
        shown.add(shortHash(id))
        yield entry
      }
      if (hits.length < limit) return
      limit *= 4
    }
  }

  async function look(
    hits: readonly SearchHit[],
  ): Promise<{ entries: { id: string; entry: Entry<V> }[]; repaired: boolean }> {
    const loaded =
      hits.length === 0
        ? []
        : await store.load(
            hits.map(({ id }) => ({ entity: rows.entity, key: id })),
            options,
          )
    const nowMs = clock.nowMs()
    const changed = loaded.filter((row, n) => row !== undefined && row.seq !== hits[n]!.seq)
    const gone = loaded.filter((row) => row !== undefined && !rows.visible(row, nowMs))
    const missing = hits.filter((_, n) => loaded[n] === undefined).map(({ id }) => id)
    if (missing.length > 0) await indexer.forget(missing, options)
    await indexer.follow([...changed, ...gone] as NonNullable<(typeof loaded)[number]>[], options)
    const entries = hits.flatMap(({ id, score }, n) => {
      const read = rows.read(loaded[n], nowMs)
      return read === undefined || !holds(read.envelope.value)
        ? []
        : [{ id, entry: { ...rows.toEntry<V>(read), score } }]
    })
    return { entries, repaired: changed.length > 0 }
  }

  const page = createListing<Entry<V>>(async (from) => {
    const shown = from === undefined ? new Set<string>() : decodeShown(from, stamp)
    const items: Entry<V>[] = []
    const before = new Set(shown)
    for await (const entry of find(shown)) {
      if (items.length === size) return { items, cursor: encodeShown(before, stamp) }
      items.push(entry)
      before.add(shortHash(rows.keyOf(entry.key)))
    }
    return { items }
  }, cursor)
  return {
    ...page,
    // One ranking for all of it, as long as nothing says that it goes on.
    [Symbol.asyncIterator]: () => find(cursor === undefined ? new Set() : decodeShown(cursor, stamp)),
  }
}

function encodeShown(shown: ReadonlySet<string>, stamp: string): string {
  return encodeCursor(`${stamp} ${[...shown].join('')}`)
}

function decodeShown(cursor: string, stamp: string): Set<string> {
  const text = decodeCursor(cursor, '')
  const hashes = text.slice(HASH_LENGTH + 1)
  if (!text.startsWith(`${stamp} `) || hashes.length % HASH_LENGTH !== 0) {
    throw new KeepsakeError('invalid_value', 'cursor is not one that a page of this search gave; start without one.')
  }
  return new Set(hashes.match(/.{8}/gs))
}

const HASH_LENGTH = 8

/** Eight characters for a text: 41 bits, so that two of a thousand ids meet once in four million searches. */
function shortHash(text: string): string {
  let [a, b] = [0x9e3779b9, 0x85ebca6b]
  for (let n = 0; n < text.length; n++) {
    const unit = text.charCodeAt(n)
    a = Math.imul(a ^ unit, 0x5bd1e995)
    b = Math.imul(b ^ unit, 0x1b873593)
    a ^= a >>> 15
    b ^= b >>> 13
  }
  return ((a >>> 0) * 512 + ((b >>> 0) & 511)).toString(36).padStart(HASH_LENGTH, '0')
}
