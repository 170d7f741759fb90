import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { KeepsakeError } from '@keepsake/core'
import { givenDatabase, MEMORY, sqliteFile, type Durability, type SqliteClient } from './sqlite-client.ts'
import { checkTableName, DEFAULT_TABLE } from './tables.ts'

interface TableOptions {
  /** The table of rows. Default `keepsake_rows`. The table of its migrations has this name and `_migrations`. */
  table?: string
  /**
   * Whether using the store creates the tables in a database that has none of ours. Default `true`. Tables of an older
   * version are never changed by use: that takes `provision()`.
   */
  provision?: boolean
}

export interface SqliteFileOptions extends TableOptions {
  /** A file in a folder that exists, relative to the working directory, or `:memory:`. Created when first used. */
  path: string
  /**
   * What an acknowledged write survives: `'power'` (default) a power cut, `'process'` the end of the process, however it
   * ends. `'process'` does not wait for the disk: a power cut may take the newest writes, but never damages the file.
   */
  durability?: Durability
  /**
   * How long a call waits for a lock that another connection holds, in milliseconds, before it rejects with
   * `unavailable`. Default 10,000. Other work of this process goes on meanwhile.
   */
  busyTimeoutMs?: number
}

export interface SqliteDatabaseOptions extends TableOptions {
  /**
   * A `DatabaseSync` of `node:sqlite` that the application keeps. The store never closes it and leaves its settings
   * alone: journal mode, `synchronous` and busy timeout are the application's. Within a transaction of the application
   * the store's writes are part of it.
   */
  database: DatabaseSync
}

export type SqliteStoreOptions = SqliteFileOptions | SqliteDatabaseOptions

/** Options that were checked, with their defaults. */
export interface SqliteSettings {
  client: SqliteClient
  table: string
  provision: boolean
}

const DEFAULT_BUSY_TIMEOUT_MS = 10_000
/** An hour. */
const MAX_BUSY_TIMEOUT_MS = 3_600_000

/** Throws `invalid_value` for options that cannot be used. Touches no file. */
export function checkSqliteOptions(options: SqliteStoreOptions): SqliteSettings {
  if (typeof options !== 'object' || options === null) {
    throw invalid(`sqliteStore takes an object such as { path: 'app.db' }.`)
  }
  const { table = DEFAULT_TABLE, provision = true } = options
  checkTableName(table)
  if (/^sqlite_/i.test(table)) throw invalid(`table must not begin with sqlite_, which SQLite keeps for itself.`)
  if (typeof provision !== 'boolean') throw invalid('provision must be true or false.')
  return { client: 'database' in options ? checkDatabase(options) : checkFile(options), table, provision }
}

function checkDatabase({ database, ...others }: SqliteDatabaseOptions & Partial<SqliteFileOptions>): SqliteClient {
  const clash = (['path', 'durability', 'busyTimeoutMs'] as const).find((name) => others[name] !== undefined)
  if (clash !== undefined) throw invalid(`${clash} is for files that the store opens; leave it out beside database.`)
  if (typeof database?.prepare !== 'function' || typeof database.exec !== 'function') {
    throw invalid('database must be a DatabaseSync of node:sqlite.')
  }
  return givenDatabase(database)
}

function checkFile(options: SqliteFileOptions): SqliteClient {
  const { path, durability = 'power', busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS } = options
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw invalid(`path must name a file, such as 'app.db', or be '${MEMORY}'.`)
  }
  if (durability !== 'power' && durability !== 'process') throw invalid(`durability must be 'power' or 'process'.`)
  if (!Number.isInteger(busyTimeoutMs) || busyTimeoutMs < 0 || busyTimeoutMs > MAX_BUSY_TIMEOUT_MS) {
    throw invalid(`busyTimeoutMs must be a whole number of milliseconds from 0 to ${MAX_BUSY_TIMEOUT_MS}.`)
  }
  // An absolute path also keeps SQLite from reading `file:…` as a URI with settings of its own.
  return sqliteFile(path === MEMORY ? MEMORY : resolve(path), durability, busyTimeoutMs)
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', message)
}
