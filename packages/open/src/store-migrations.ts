import { parseStoreUri } from '@keepsake/core'
import { importMysql, importPostgres, importSqlite } from './sql-modules.ts'

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
  switch (parseStoreUri(uri).scheme) {
    case 'sqlite':
    case 'file':
      return (await importSqlite()).sqliteMigrations()
    case 'postgres':
    case 'postgresql':
      return (await importPostgres()).postgresMigrations()
    case 'mysql':
    case 'mariadb':
      return (await importMysql()).mysqlMigrations()
    default:
      return undefined
  }
}
