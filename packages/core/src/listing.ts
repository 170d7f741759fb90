import type { CallOptions } from './rows/row-store.ts'

export interface Page<T> {
  items: T[]
  /** Where the next page begins; left out when this is the last. */
  cursor?: string
}

export interface ListOptions extends CallOptions {
  /** Items on a page: a whole number from 1. */
  limit?: number
  /** From a page before. Stays valid while rows are added and removed. */
  cursor?: string
}

/** A list that is read when it is used: `await` gives one page, `for await` gives everything. */
export interface Listing<T> extends PromiseLike<Page<T>>, AsyncIterable<T> {}

/** Makes a listing of a function that reads one page. */
export function createListing<T>(
  readPage: (cursor: string | undefined) => Promise<Page<T>>,
  cursor?: string,
): Listing<T> {
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- being awaitable is what a listing is
    then: (fulfilled, rejected) => readPage(cursor).then(fulfilled, rejected),
    async *[Symbol.asyncIterator]() {
      let next = cursor
      do {
        const page = await readPage(next)
        yield* page.items
        next = page.cursor
      } while (next !== undefined)
    },
  }
}
