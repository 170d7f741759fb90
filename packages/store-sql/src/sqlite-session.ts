import type { DatabaseSync } from 'node:sqlite'
import { KeepsakeError, throwIfAborted, type CallOptions } from '@keepsake/core'
import { sqliteQueries } from './dialects.ts'
import { toKeepsakeError } from './sqlite-errors.ts'
import { checkVersion, migrate, schemaVersion, sqliteMigrations, type SqliteSchema } from './sqlite-migrations.ts'
import type { SqliteSettings } from './sqlite-options.ts'
import { sqliteRows, type SqliteRows } from './sqlite-rows.ts'
import { buildStatements } from './statements.ts'

/** A store's database over its life: not opened, open, ready for rows, closed. */
export interface SqliteSession {
  /** Works on rows. The first call opens the database and may create the tables. */
  onRows<T>(options: CallOptions | undefined, work: (rows: SqliteRows) => T): T | Promise<T>
  provision(options?: CallOptions & { down?: boolean; to?: number }): Promise<void>
  verify(options?: CallOptions): Promise<void>
  close(): Promise<void>
}

export function sqliteSession({ client, table, provision }: SqliteSettings): SqliteSession {
  const schema: SqliteSchema = { table, migrations: sqliteMigrations(table), where: client.where }
  let creates = provision
  let closed = false
  let closing: Promise<void> | undefined
  let opening: Promise<DatabaseSync> | undefined
  let preparing: Promise<SqliteRows> | undefined
  let ready: SqliteRows | undefined

  function begin(options: CallOptions | undefined): void {
    if (closed) throw new KeepsakeError('unavailable', `The store on ${client.where} was closed; open a new one.`)
    throwIfAborted(options?.signal)
  }

  function attempt<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw toKeepsakeError(error, client.where)
    }
  }

  // What fails is forgotten, so that the next call tries again.
  function open(): Promise<DatabaseSync> {
    opening ??= client.open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  function prepare(): Promise<SqliteRows> {
    preparing ??= prepareRows().catch((error: unknown) => {
      preparing = undefined
      throw toKeepsakeError(error, client.where)
    })
    return preparing
  }

  async function prepareRows(): Promise<SqliteRows> {
    if (!creates) checkExists()
    const database = await open()
    if (creates && schemaVersion(database, schema) === 0) migrate(database, schema)
    checkVersion(schemaVersion(database, schema), schema)
    ready = sqliteRows(database, buildStatements(await sqliteQueries(), table))
    return ready
  }

  /** Looking at a file that is not there must not create it. */
  function checkExists(): void {
    if (!client.exists()) checkVersion(0, schema)
  }

  async function shut(): Promise<void> {
    closed = true
    // Calls that wait for one of these began to before this one does, so they have done their work when it goes on.
    await preparing?.catch(() => {})
    const database = await opening?.catch(() => {})
    if (database !== undefined) client.close(database)
  }

  return {
    onRows(options, work) {
      begin(options)
      const rows = ready
      if (rows !== undefined) return attempt(() => work(rows))
      return prepare().then((prepared) => {
        throwIfAborted(options?.signal)
        return attempt(() => work(prepared))
      })
    },

    async provision(options) {
      begin(options)
      // From here on the caller decides when tables come and go.
      creates = false
      await open().then((database) => attempt(() => migrate(database, schema, options)))
    },

    async verify(options) {
      begin(options)
      checkExists()
      await open().then((database) => attempt(() => checkVersion(schemaVersion(database, schema), schema)))
    },

    close() {
      closing ??= shut()
      return closing
    },
  }
}
