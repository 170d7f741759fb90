import { KeepsakeError } from '../errors.ts'
import { inMemoryStore } from './in-memory-store.ts'
import type { RowStore } from './row-store.ts'
import { knownSchemes, parseStoreUri, STORE_PACKAGES } from './store-uri.ts'

/** How a package makes its store available to {@link openStore}. */
export interface StoreDriver {
  /** Lower case, without the colon. */
  readonly schemes: readonly string[]
  open(uri: string): RowStore | Promise<RowStore>
}

/**
 * Opens the store that `uri` names with the first of `drivers` that has its scheme; `memory://` is always there and is a
 * new, empty store each time. Throws `invalid_value` for an address that is none and `unsupported`, naming the package,
 * where no driver has the scheme. `openStore` of `@keepsake/open` passes the drivers of all our stores.
 */
export async function openStore(uri: string, drivers: readonly StoreDriver[]): Promise<RowStore> {
  const { scheme } = parseStoreUri(uri)
  const driver = drivers.find((candidate) => candidate.schemes.includes(scheme))
  if (driver !== undefined) return await driver.open(uri)
  if (scheme === 'memory') return inMemoryStore()
  if (Object.hasOwn(STORE_PACKAGES, scheme)) {
    throw new KeepsakeError(
      'unsupported',
      `No driver for ${scheme}: addresses was given. They belong to ${STORE_PACKAGES[scheme]}: a version of it that opens them, or its driver, is missing.`,
      {
        details: { scheme, package: STORE_PACKAGES[scheme]! },
      },
    )
  }
  throw new KeepsakeError('unsupported', `Nothing opens ${scheme}: addresses. ${knownSchemes()}`, {
    details: { scheme },
  })
}
