import { KeepsakeError, MAX_REC_BYTES } from '@keepsake/core'
import { checkVersion, foreignTables, planFrom, type SqlMigration, type SqlSchema } from './migrations.ts'
import { executeChange, query, type MysqlClient } from './mysql-client.ts'
import { IS_READ_ONLY } from './mysql-errors.ts'
import type { MysqlServer } from './mysql-queries.ts'
import { checkTableName, DEFAULT_TABLE, migrationsTable } from './tables.ts'

/**
 * The schema of a store's table on MySQL and MariaDB, step by step: for applications that migrate with a tool of their
 * own. Run whole, the statements leave what `provision()` leaves. Throws `invalid_value` for a table that cannot be named
 * so.
 */
export function mysqlMigrations(table: string = DEFAULT_TABLE): readonly SqlMigration[] {
  checkTableName(table)
  const migrations = migrationsTable(table)
  return [
    {
      version: 1,
      name: 'rows',
      // These servers have no transactions of such statements: they can be run again after an end halfway, and the note
      // that they were run comes last.
      up: [
        `CREATE TABLE IF NOT EXISTS \`${migrations}\` (version INTEGER PRIMARY KEY, name VARCHAR(64) NOT NULL, applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP) ENGINE = InnoDB`,
        // Bytes, so that no collation has a say in what is equal and what comes first.
        `CREATE TABLE IF NOT EXISTS \`${table}\` (
  entity_key VARBINARY(512) NOT NULL,
  \`key\` VARBINARY(1024) NOT NULL,
  seq BIGINT NOT NULL,
  rec LONGBLOB NOT NULL,
  updated_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT,
  PRIMARY KEY (entity_key, \`key\`)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC`,
        `INSERT INTO \`${migrations}\` (version, name) VALUES (1, 'rows')`,
      ],
      down: [`DROP TABLE \`${table}\`, \`${migrations}\``],
    },
  ]
}

/**
 * Throws `unsupported` for a server that cannot keep rows, and `invalid_value` where no database is named. Gives the largest
 * packet that the server takes, in bytes.
 */
async function checkSession(client: MysqlClient, { where }: SqlSchema): Promise<number> {
  const [session] = await query(
    client,
    'SELECT DATABASE() IS NOT NULL, @@global.read_only, @@autocommit, @@max_allowed_packet',
  )
  const [hasDatabase, readOnly, autocommit, maxPacketBytes] = session!.map(Number)
  if (hasDatabase === 0) {
    throw new KeepsakeError('invalid_value', 'The address of the store names no database, as in mysql://HOST/DATABASE.')
  }
  if (readOnly !== 0) throw new KeepsakeError('unsupported', `${where} ${IS_READ_ONLY}`)
  if (autocommit === 0) {
    throw new KeepsakeError(
      'unsupported',
      'The connections of the pool have autocommit off; use a pool that leaves it on.',
    )
  }
  return maxPacketBytes!
}

/** Throws what `checkSession` throws, and what `checkVersion` throws for the tables. */
export async function checkServer(client: MysqlClient, schema: SqlSchema): Promise<MysqlServer> {
  const maxPacketBytes = await checkSession(client, schema)
  checkVersion(await schemaVersion(client, schema), schema)
  // This changes nothing. What the answer counts depends on flags of the connection, and on proxies in between.
  const idle = `UPDATE \`${migrationsTable(schema.table)}\` SET name = name WHERE version = ?`
  const { affectedRows } = await executeChange(client, idle, [schema.migrations.length])
  return { maxPacketBytes, countsChanges: affectedRows === 0 }
}

/** The same, and throws `unsupported` for a server that cannot take the largest records. */
export async function verifyServer(client: MysqlClient, schema: SqlSchema): Promise<void> {
  const { maxPacketBytes } = await checkServer(client, schema)
  if (maxPacketBytes >= LEAST_PACKET_BYTES) return
  throw new KeepsakeError(
    'unsupported',
    `${schema.where} takes packets of ${maxPacketBytes} bytes at most, too small for the largest records: raise max_allowed_packet to 16 MiB.`,
    { details: { maxPacketBytes, leastBytes: LEAST_PACKET_BYTES } },
  )
}

/** The largest record, with names of the greatest length. */
const LEAST_PACKET_BYTES = MAX_REC_BYTES + 2048

/** The version of the schema that the database holds: 0 where there is nothing of ours, or an end halfway. */
async function schemaVersion(client: MysqlClient, schema: SqlSchema): Promise<number> {
  const { table } = schema
  const migrations = migrationsTable(table)
  const found = await query(
    client,
    'SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name IN (?, ?)',
    table,
    migrations,
  )
  if (found.length === 0) return 0
  // Servers that fold names give them in small letters.
  const names = found.map(([name]) => String(name).toLowerCase())
  if (!names.includes(migrations.toLowerCase())) throw foreignTables(schema)
  const [newest] = await query(client, `SELECT max(version) FROM \`${migrations}\``)
  if (newest![0] === null) return 0
  if (names.length === 1) throw foreignTables(schema)
  return Number(newest![0])
}

/** Brings the schema to the version that `options` ask for. Whoever does so at the same time comes before or after. */
export async function migrate(
  client: MysqlClient,
  schema: SqlSchema,
  options: { down?: boolean; to?: number } | undefined,
): Promise<void> {
  await checkSession(client, schema)
  const [lock] = await query(client, `SELECT GET_LOCK(${LOCK}, ${LOCK_TIMEOUT_SECONDS})`)
  if (Number(lock![0]) !== 1) {
    throw new KeepsakeError('unavailable', `${schema.where} is being provisioned by somebody else; try again.`, {
      retryable: true,
    })
  }
  try {
    for (const statement of planFrom(await schemaVersion(client, schema), schema, options))
      await query(client, statement)
  } finally {
    // A connection that broke has let go of it.
    await query(client, `SELECT RELEASE_LOCK(${LOCK})`).catch(() => {})
  }
}

/** Longer than a migration takes. */
const LOCK_TIMEOUT_SECONDS = 60
/** Names of locks are a server's, and at most 64 long. */
const LOCK = `CONCAT('keepsake ', MD5(DATABASE()))`
