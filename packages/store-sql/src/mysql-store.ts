import type { RowStore } from '@keepsake/core'
import { mysqlQueries as builder } from './dialects.ts'
import type { SqlSchema } from './migrations.ts'
import { mysqlErrors } from './mysql-errors.ts'
import { checkServer, migrate, mysqlMigrations, verifyServer } from './mysql-migrations.ts'
import { checkMysqlOptions, type MysqlStoreOptions } from './mysql-options.ts'
import { mysqlQueries } from './mysql-queries.ts'
import { mysqlStatements } from './mysql-statements.ts'
import { serverStore } from './server-store.ts'

/**
 * Rows in MySQL 8 or MariaDB 10.6 and newer, by `mysql2`. Throws `invalid_value` for options that cannot be used;
 * connects, and loads `mysql2` and Kysely, when it is first used. Never creates tables by being used: that takes
 * `provision()`.
 *
 * - A write of one row is one statement and one round trip; one more where it is stale, to read its seq. Several rows are
 *   a transaction: two round trips to begin and end it, one for each 100 rows of the same kind of guard, and one for each
 *   row with `{ seq }`. So is one row on a pool of the application without `flags: ['-FOUND_ROWS']`.
 * - An acknowledged write survives what the server's `innodb_flush_log_at_trx_commit` promises: by default a crash and a
 *   power cut.
 * - Deadlocks and lost connections are tried again for up to `retryTimeoutMs`. `remove` then counts what it still found.
 * - A read-only server is refused, by the first call and by `verify()`, as is one whose `max_allowed_packet` is smaller
 *   than the largest record, by `verify()`.
 *
 * Rejects with `not_provisioned` where tables are missing or old, and `unavailable` for a server that cannot be reached,
 * refuses the login or does not answer in time.
 */
export function mysqlStore(options: MysqlStoreOptions): RowStore {
  const { table, ...settings } = checkMysqlOptions(options)
  const schema: SqlSchema = { table, migrations: mysqlMigrations(table), where: WHERE }
  return serverStore({
    ...settings,
    name: 'mysql',
    where: WHERE,
    errors: mysqlErrors(WHERE),
    async prepare({ client }) {
      const server = await checkServer(client, schema)
      return mysqlQueries(await mysqlStatements(await builder(), table), server)
    },
    verify: ({ client }) => verifyServer(client, schema),
    migrate: ({ client }, o) => migrate(client, schema, o),
  })
}

const WHERE = 'The MySQL database'
