import { KeepsakeError, openStore, parseStoreUri, type RowStore } from '@keepsake/core'

/** In a variable, so that what bundles this package for a browser does not look for it. */
const OPEN_PACKAGE = '@keepsake/open'

/**
 * Opens the store of an address. Only an address needs `@keepsake/open`, and it is imported only then: throws `unsupported`,
 * with the command that installs it, if it is missing.
 */
export async function openLongterm(uri: string): Promise<RowStore> {
  const { kind, scheme } = parseStoreUri(uri)
  if (kind === 'memory') return openStore(uri, [])
  let open: { openStore(address: string): Promise<RowStore> }
  try {
    open = (await import(OPEN_PACKAGE)) as typeof open
  } catch (cause) {
    throw new KeepsakeError(
      'unsupported',
      `longterm is a ${scheme}: address, and those are opened by ${OPEN_PACKAGE}, which could not be loaded. Install it (pnpm add ${OPEN_PACKAGE}), or pass a store that you have opened.`,
      { cause, details: { package: OPEN_PACKAGE } },
    )
  }
  return open.openStore(uri)
}
