import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { KeepsakeError, openStore as openWithDrivers, parseStoreUri, type RowStore } from '@keepsake/core'
import { drivers } from './drivers.ts'
import { importSqlite } from './sql-modules.ts'

/**
 * Opens the store of a URI, such as `sqlite:app.db` or `memory://`. The package that keeps it is imported now, and no
 * other: from where this package is installed, else from the project in the current folder, so that a command that is
 * installed globally or run by `npx` finds the stores of the project that it is run in.
 *
 * Throws `invalid_value` for a URI that cannot be read (what it holds is never shown: it may be a password),
 * `unsupported` for a scheme that nothing opens or whose package is not installed (the message says what to install), and
 * what the store itself throws.
 */
export async function openStore(uri: string): Promise<RowStore> {
  return await openWithDrivers(uri, drivers)
}

/**
 * The same, for looking: nothing is created. A SQLite file that does not exist is `not_provisioned`, and one without
 * our tables gets none. Other stores never create anything when they are opened.
 */
export async function openExistingStore(uri: string): Promise<RowStore> {
  const parsed = parseStoreUri(uri)
  if (parsed.kind !== 'file' || parsed.path === ':memory:') return await openStore(uri)
  const path = resolve(parsed.path)
  if (!existsSync(path)) {
    throw new KeepsakeError(
      'not_provisioned',
      `There is no file ${path}. If the path is right, \`keepsake provision\` creates it.`,
      { details: { path } },
    )
  }
  const { sqliteStore } = await importSqlite()
  return sqliteStore({ path, provision: false })
}
