import { KeepsakeError } from '@keepsake/core'
import { checkVersion, foreignTables, planFrom, type SqlMigration, type SqlSchema } from './migrations.ts'
import { select, type PostgresClient } from './postgres-client.ts'
import type { PostgresConnection } from './postgres-connections.ts'
import { READ_ONLY } from './postgres-errors.ts'
import { postgresTransaction } from './postgres-transaction.ts'
import { checkSchemaName, checkTableName, DEFAULT_TABLE, migrationsTable } from './tables.ts'
import { inTransaction } from './transaction.ts'

/** Where the tables are: their schema, if it is not for the search path to say, and the name of the table of rows. */
export interface PostgresTables {
  schema?: string | undefined
  table?: string | undefined
}

/**
 * The schema of a store's table on PostgreSQL, step by step: for applications that migrate with a tool of their own. Run
 * whole, the statements leave what `provision()` leaves. Throws `invalid_value` for tables that cannot be named so.
 */
export function postgresMigrations(tables: PostgresTables = {}): readonly SqlMigration[] {
  const { schema, table = DEFAULT_TABLE } = tables
  checkTableName(table)
  if (schema !== undefined) checkSchemaName(schema)
  const rows = qualified(schema, table)
  const migrations = qualified(schema, migrationsTable(table))
  return [
    {
      version: 1,
      name: 'rows',
      up: [
        // CREATE SCHEMA IF NOT EXISTS needs a privilege even where the schema exists.
        ...(schema === undefined
          ? []
          : [`DO $$ BEGIN IF to_regnamespace('"${schema}"') IS NULL THEN CREATE SCHEMA "${schema}"; END IF; END $$`]),
        `CREATE TABLE ${migrations} (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TIMESTAMPTZ NOT NULL DEFAULT CURRENT_TIMESTAMP)`,
        `CREATE TABLE ${rows} (
  entity_key TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  rec BYTEA NOT NULL,
  updated_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT,
  PRIMARY KEY (entity_key, key)
)`,
        `INSERT INTO ${migrations} (version, name) VALUES (1, 'rows')`,
      ],
      down: [`DROP TABLE ${rows}`, `DROP TABLE ${migrations}`],
    },
  ]
}

export interface PostgresSchema extends SqlSchema {
  /** Of the tables; left out: the search path's. */
  schema: string | undefined
}

/** Throws `unsupported` for a server that cannot keep rows, and what `checkVersion` throws for its tables. */
export async function checkServer(client: PostgresClient, schema: PostgresSchema): Promise<void> {
  const { where } = schema
  const [server] = await select(
    client,
    `SELECT current_setting('server_encoding'), pg_is_in_recovery(), current_setting('transaction_read_only')`,
  )
  const [encoding, recovering, readOnly] = server!
  if (recovering === 't' || readOnly === 'on') throw new KeepsakeError('unsupported', `${where} ${READ_ONLY}`)
  if (encoding !== 'UTF8') {
    throw new KeepsakeError(
      'unsupported',
      `${where} keeps text in ${encoding}, which cannot hold every key; use a database with the encoding UTF8.`,
    )
  }
  checkVersion(await schemaVersion(client, schema), schema)
}

/** The version of the schema that the database holds: 0 where there is nothing of ours. */
async function schemaVersion(client: PostgresClient, tables: PostgresSchema): Promise<number> {
  const { schema, table } = tables
  const migrations = qualified(schema, migrationsTable(table))
  const count = 'SELECT count(to_regclass(name)) FROM unnest($1::text[]) AS name'
  const [found] = await select(client, count, [qualified(schema, table), migrations])
  if (found![0] === '0') return 0
  const [newest] = found![0] === '2' ? await select(client, `SELECT max(version) FROM ${migrations}`) : []
  if (typeof newest?.[0] !== 'string') throw foreignTables(tables)
  return Number(newest[0])
}

/** Brings the schema to the version that `options` ask for. Whoever does so at the same time comes before or after. */
export async function migrate(
  connection: PostgresConnection,
  schema: PostgresSchema,
  options: { down?: boolean; to?: number } | undefined,
): Promise<void> {
  const { client, nested } = connection
  await inTransaction(postgresTransaction, connection, async () => {
    // Left as it is for the rest of an application's transaction.
    if (!nested) await select(client, `SELECT set_config('lock_timeout', $1, true)`, String(LOCK_TIMEOUT_MS))
    await select(client, `SELECT pg_advisory_xact_lock(${PROVISIONING})`)
    for (const statement of planFrom(await schemaVersion(client, schema), schema, options)) {
      await select(client, statement)
    }
  })
}

/** Longer than a migration takes. */
const LOCK_TIMEOUT_MS = 60_000
/** The lock that provisioning takes in a database: the bytes of `keepsake` as a number. */
const PROVISIONING = '7738703068352572261'

function qualified(schema: string | undefined, table: string): string {
  return schema === undefined ? `"${table}"` : `"${schema}"."${table}"`
}
