import type { CallOptions, Range, Row, RowStore } from '../rows/row-store.ts'

export interface WalkOptions extends CallOptions {
  /** Only what begins with this string. */
  prefix?: string | undefined
  /** Only what comes after this string. */
  after?: string | undefined
  /** At most so many. Default: all. */
  limit?: number | undefined
}

const ENTITIES_OF_PAGE = 1000
const FIRST_PAGE = 16
/** The next rows may be larger than those before them, so a page is never much longer than memory has room for. */
const LONGEST_PAGE = 250
/** What a page of rows should hold at most, in bytes. */
const PAGE_BYTES = 8_000_000

/** Entities of a store, in order, read 1,000 at a time. What is written meanwhile is met or not. */
export function walkEntities(store: RowStore, options: WalkOptions = {}): AsyncGenerator<string> {
  return walk(
    (range, call) => store.entities(range, call),
    (entity) => entity,
    ENTITIES_OF_PAGE,
    () => ENTITIES_OF_PAGE,
    options,
  )
}

/**
 * Rows of an entity, in order, tombstones and expired ones too. Pages are as long as the sizes of the rows before allow,
 * 250 at most, so that memory stays bounded. What is written meanwhile is met or not.
 */
export function walkRows(store: RowStore, entity: string, options: WalkOptions = {}): AsyncGenerator<Row> {
  return walk(
    (range, call) => store.scan(entity, range, call),
    (row) => row.key,
    FIRST_PAGE,
    (page) => {
      const bytes = page.reduce((sum, row) => sum + row.rec.length, 1)
      return Math.max(1, Math.min(LONGEST_PAGE, Math.floor((PAGE_BYTES * page.length) / bytes)))
    },
    options,
  )
}

async function* walk<T>(
  read: (range: Range, call: CallOptions | undefined) => Promise<T[]>,
  position: (item: T) => string,
  firstLength: number,
  nextLength: (page: readonly T[]) => number,
  { prefix, after, limit = Infinity, signal }: WalkOptions,
): AsyncGenerator<T> {
  let last = after
  let left = limit
  let length = firstLength
  while (left > 0) {
    const wanted = Math.min(left, length)
    const range = { ...(prefix !== undefined && { prefix }), ...(last !== undefined && { after: last }), limit: wanted }
    const page = await read(range, signal && { signal })
    yield* page
    if (page.length < wanted) return
    last = position(page.at(-1)!)
    left -= page.length
    length = nextLength(page)
  }
}
