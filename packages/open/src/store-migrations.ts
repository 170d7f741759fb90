import { parseStoreUri } from '@keepsake/core'
import { importSqlite } from './sqlite-module.ts'

/** One step of a database's schema as statements, to read or to run with an application's own migration tool. */
export interface StoreMigration {
  /** Counts from 1. */
  readonly version: number
  readonly name: string
  readonly up: readonly string[]
  readonly down: readonly string[]
}

/** The migrations that `provision()` runs on the store of a URI; `undefined` where it needs no statements. Opens nothing. */
export async function storeMigrations(uri: string): Promise<readonly StoreMigration[] | undefined> {
  if (parseStoreUri(uri).kind !== 'file') return undefined
  const { sqliteMigrations } = await importSqlite()
  return sqliteMigrations()
}
