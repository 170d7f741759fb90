import type { RowStore } from '@keepsake/core'
import { refuse } from './refuse.ts'

/** Throws `invalid_value` for what is no store: a promise of one, most often. */
export function checkStore(name: string, store: RowStore): void {
  if (typeof store?.write === 'function' && typeof store.scan === 'function') return
  throw refuse(name, 'a RowStore, such as inMemoryStore() or one that openStore has opened', store)
}
