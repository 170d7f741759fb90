import { KeepsakeError, parseStoreUri, type StoreDriver } from '@keepsake/core'
import { sqliteStore } from './sqlite-store.ts'

/**
 * Opens `sqlite:PATH`, `sqlite://PATH` and `file:PATH` for `openStore` of `@keepsake/core`, with the defaults of
 * {@link sqliteStore}. Throws `invalid_value` for an address without a path.
 */
export const driver: StoreDriver = {
  schemes: ['sqlite', 'file'],
  open(uri) {
    const address = parseStoreUri(uri)
    if (address.kind !== 'file') {
      throw new KeepsakeError('invalid_value', 'This driver opens sqlite:PATH and file:PATH only.')
    }
    return sqliteStore({ path: address.path })
  },
}
