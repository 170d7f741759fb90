import { inMemoryStore, type RowStore } from '@keepsake/core'

let shared: RowStore | undefined

/** The store of all agents of this process that were given none. */
export function sharedStore(): RowStore {
  return (shared ??= inMemoryStore())
}
