import type { DatabaseSync } from 'node:sqlite'
import type { CallOptions } from '@keepsake/core'
import { sqliteQueries } from './dialects.ts'
import { checkVersion, type SqlSchema } from './migrations.ts'
import { isBusy, toKeepsakeError } from './sqlite-errors.ts'
import { whenUnlocked } from './sqlite-lock.ts'
import { migrate, schemaVersion, sqliteMigrations } from './sqlite-migrations.ts'
import type { SqliteSettings } from './sqlite-options.ts'
import { sqliteRows, type SqliteRows } from './sqlite-rows.ts'
import { sqliteStatements } from './sqlite-statements.ts'

/** A store's database over its life: not opened, open, ready for rows, closed. */
export interface SqliteSession {
  /**
   * Does `work` on rows, at once where that is possible. If it has to wait, for the database to be opened or for a lock,
   * it gets a copy of `input`.
   */
  onRows<I, T>(
    options: CallOptions | undefined,
    input: I,
    copy: (input: I) => I,
    work: (rows: SqliteRows, input: I) => T,
  ): T | Promise<T>
  provision(options?: CallOptions & { down?: boolean; to?: number }): Promise<void>
  verify(options?: CallOptions): Promise<void>
  close(): Promise<void>
}

export function sqliteSession({ client, table, provision }: SqliteSettings): SqliteSession {
  const schema: SqlSchema = { table, migrations: sqliteMigrations(table), where: client.where }
  let creates = provision
  let opening: Promise<DatabaseSync> | undefined
  let preparing: Promise<SqliteRows> | undefined
  let ready: SqliteRows | undefined

  async function waiting<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      throw toKeepsakeError(error, client.where)
    }
  }

  function whenFree<T>(work: () => T, options?: CallOptions): Promise<T> {
    return whenUnlocked(work, client.busyTimeoutMs, options?.signal)
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
      throw error
    })
    return preparing
  }

  async function prepareRows(): Promise<SqliteRows> {
    if (!creates) checkExists()
    const database = await open()
    await whenFree(() => {
      if (creates && schemaVersion(database, schema) === 0) migrate(database, schema)
      checkVersion(schemaVersion(database, schema), schema)
    })
    const statements = sqliteStatements(await sqliteQueries(), table)
    ready = await whenFree(() => sqliteRows(database, statements))
    return ready
  }

  /** Looking at a file that is not there must not create it. */
  function checkExists(): void {
    if (!client.exists()) checkVersion(0, schema)
  }

  async function shut(): Promise<void> {
    const database = await opening?.catch(() => {})
    if (database !== undefined) client.close(database)
  }

  return {
    onRows(options, input, copy, work) {
      if (ready !== undefined) {
        try {
          return work(ready, input)
        } catch (error) {
          if (client.busyTimeoutMs === 0 || !isBusy(error)) throw toKeepsakeError(error, client.where)
        }
      }
      const own = copy(input)
      return waiting(async () => {
        const rows = await prepare()
        return await whenFree(() => work(rows, own), options)
      })
    },

    async provision(options) {
      // From here on the caller decides when tables come and go.
      creates = false
      await waiting(async () => {
        const database = await open()
        await whenFree(() => migrate(database, schema, options), options)
      })
    },

    async verify(options) {
      checkExists()
      await waiting(async () => {
        const database = await open()
        await whenFree(() => checkVersion(schemaVersion(database, schema), schema), options)
      })
    },

    close: shut,
  }
}
