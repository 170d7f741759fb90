import type { DatabaseSync } from 'node:sqlite'
import { foreignTables, planFrom, type SqlMigration, type SqlSchema } from './migrations.ts'
import { inTransaction } from './sqlite-transaction.ts'
import { selectValue } from './sqlite-value.ts'
import { checkTableName, DEFAULT_TABLE, migrationsTable } from './tables.ts'

/**
 * The schema of a store's table on SQLite, step by step: for applications that migrate with a tool of their own. Run
 * whole, the statements leave what `provision()` leaves. Throws `invalid_value` for a table that cannot be named so.
 */
export function sqliteMigrations(table: string = DEFAULT_TABLE): readonly SqlMigration[] {
  checkTableName(table)
  const migrations = migrationsTable(table)
  return [
    {
      version: 1,
      name: 'rows',
      up: [
        `CREATE TABLE "${migrations}" (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)`,
        // Not WITHOUT ROWID: that keeps records in the index, where from about 1,000 bytes each takes pages of its own.
        `CREATE TABLE "${table}" (
  entity_key TEXT COLLATE BINARY NOT NULL,
  key TEXT COLLATE BINARY NOT NULL,
  seq BIGINT NOT NULL,
  rec BLOB NOT NULL,
  updated_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT,
  PRIMARY KEY (entity_key, key)
)`,
        `INSERT INTO "${migrations}" (version, name) VALUES (1, 'rows')`,
      ],
      down: [`DROP TABLE "${table}"`, `DROP TABLE "${migrations}"`],
    },
  ]
}

/**
 * The version of the schema that the database holds: 0 where there is nothing of ours. Throws `unsupported` where there
 * is something that is not the work of these migrations.
 */
export function schemaVersion(database: DatabaseSync, schema: SqlSchema): number {
  const { table } = schema
  const migrations = migrationsTable(table)
  const tables = selectValue(
    database,
    'SELECT count(*) FROM sqlite_schema WHERE name COLLATE NOCASE IN (?, ?)',
    table,
    migrations,
  )
  if (tables === 0) return 0
  const version = tables === 2 ? selectValue(database, `SELECT max(version) FROM "${migrations}"`) : null
  if (typeof version === 'number') return version
  throw foreignTables(schema)
}

/** Brings the schema to the version that `options` ask for. Whoever does so at the same time comes before or after. */
export function migrate(database: DatabaseSync, schema: SqlSchema, options?: { down?: boolean; to?: number }): void {
  inTransaction(database, () => {
    for (const statement of planFrom(schemaVersion(database, schema), schema, options)) database.exec(statement)
  })
}
