import type { Row, RowStore } from '@keepsake/core'

export interface WalkOptions {
  /** Only what begins with this string. */
  prefix?: string | undefined
  /** Only what comes after this string. */
  after?: string | undefined
  /** At most so many. Default: all. */
  limit?: number | undefined
}

const FIRST_PAGE = 50
const LONGEST_PAGE = 1000
/** What a page of rows should hold at most, in bytes. */
const PAGE_BYTES = 8_000_000

/** Entities of a store, in order, read a page at a time. */
export function walkEntities(store: RowStore, options: WalkOptions = {}): AsyncGenerator<string> {
  return walk(
    (range) => store.entities(range),
    (entity) => entity,
    () => LONGEST_PAGE,
    options,
  )
}

/** Rows of an entity, in order. Pages are as long as the records' sizes allow, so that memory stays bounded. */
export function walkRows(store: RowStore, entity: string, options: WalkOptions = {}): AsyncGenerator<Row> {
  return walk(
    (range) => store.scan(entity, range),
    (row) => row.key,
    (page) => {
      const bytes = page.reduce((sum, row) => sum + row.rec.length, 1)
      return Math.floor((PAGE_BYTES * page.length) / bytes)
    },
    options,
  )
}

async function* walk<T>(
  read: (range: { prefix?: string; after?: string; limit: number }) => Promise<T[]>,
  position: (item: T) => string,
  nextLength: (page: readonly T[]) => number,
  { prefix, after, limit = Infinity }: WalkOptions,
): AsyncGenerator<T> {
  let last = after
  let left = limit
  let length = FIRST_PAGE
  while (left > 0) {
    const wanted = Math.min(left, length)
    const page = await read({
      ...(prefix !== undefined && { prefix }),
      ...(last !== undefined && { after: last }),
      limit: wanted,
    })
    yield* page
    if (page.length < wanted) return
    last = position(page.at(-1)!)
    left -= page.length
    length = Math.max(1, Math.min(LONGEST_PAGE, nextLength(page)))
  }
}
