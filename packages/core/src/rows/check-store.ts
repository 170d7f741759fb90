import { KeepsakeError } from '../errors.ts'
import { describeType } from './keys.ts'
import type { RowStore } from './row-store.ts'

/** Throws `invalid_value`, naming `what`, for what is no store: its address, or a promise of one, most often. */
export function checkStore(store: RowStore, what = 'store'): void {
  if (typeof store?.write === 'function' && typeof store.scan === 'function') return
  throw new KeepsakeError(
    'invalid_value',
    `${what} must be a RowStore, such as inMemoryStore() or one that openStore has opened; it is ${describeType(store)}.`,
  )
}
