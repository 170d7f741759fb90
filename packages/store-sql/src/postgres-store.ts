import type { RowStore } from '@keepsake/core'
import { postgresQueries as builder } from './dialects.ts'
import { postgresErrors } from './postgres-errors.ts'
import { checkServer, migrate, postgresMigrations, type PostgresSchema } from './postgres-migrations.ts'
import { checkPostgresOptions, type PostgresStoreOptions } from './postgres-options.ts'
import { postgresQueries } from './postgres-queries.ts'
import { postgresStatements } from './postgres-statements.ts'
import { serverStore } from './server-store.ts'

/**
 * Rows in PostgreSQL 12 or newer, by `pg`. Throws `invalid_value` for options that cannot be used; connects, and loads
 * `pg` and Kysely, when it is first used. Never creates tables by being used: that takes `provision()`.
 *
 * - A call of one row, and one of many rows with the same kind of guard, is one statement and one round trip; one more
 *   where rows are stale, to read their seqs. Other batches are one transaction, sent at once: one round trip too.
 * - An acknowledged write survives what the server's `synchronous_commit` promises: by default a crash and a power cut.
 * - Deadlocks, serialisation failures and lost connections are tried again for up to `retryTimeoutMs`. `remove` then
 *   counts what it still found.
 * - A replica is refused, by the first call and by `verify()`.
 *
 * Rejects with `not_provisioned` where tables are missing or old, and `unavailable` for a server that cannot be reached,
 * refuses the login or does not answer in time.
 */
export function postgresStore(options: PostgresStoreOptions): RowStore {
  const { schema, table, ...settings } = checkPostgresOptions(options)
  const tables: PostgresSchema = { schema, table, migrations: postgresMigrations({ schema, table }), where: WHERE }
  return serverStore({
    ...settings,
    name: 'postgres',
    where: WHERE,
    errors: postgresErrors(WHERE),
    async prepare({ client }) {
      await checkServer(client, tables)
      return postgresQueries(await postgresStatements(await builder(), table, schema))
    },
    verify: ({ client }) => checkServer(client, tables),
    migrate: (connection, o) => migrate(connection, tables, o),
  })
}

const WHERE = 'The PostgreSQL database'
