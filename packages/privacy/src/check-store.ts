import { describeType, KeepsakeError, type RowStore } from '@keepsake/core'

/** Throws `invalid_value` unless this is a store. */
export function checkStore(store: RowStore, what: string): void {
  if (typeof store?.write !== 'function' || typeof store.load !== 'function')
    throw mustBe(what, 'a row store, such as sqliteStore(…)', store)
}

export function mustBe(what: string, wanted: string, value: unknown): KeepsakeError {
  return new KeepsakeError('invalid_value', `${what} must be ${wanted}; it is ${describeType(value)}.`)
}
