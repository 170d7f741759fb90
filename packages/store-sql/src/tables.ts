import { KeepsakeError } from '@keepsake/core'

/** The table of rows where no other name is given. */
export const DEFAULT_TABLE = 'keepsake_rows'

// PostgreSQL cuts names after 63 bytes without a word; the table of migrations adds 11.
const MAX_NAME_LENGTH = 52
const MAX_SCHEMA_LENGTH = 63

/** The columns of the table of rows, as Kysely sees them. */
export interface RowsTable {
  entity_key: string
  key: string
  seq: number
  rec: Uint8Array
  updated_at_ms: number
  expires_at_ms: number | null
}

/** The database as Kysely sees it. A table of another name is passed off as this one: the columns are the same. */
export interface RowsDatabase {
  keepsake_rows: RowsTable
}

/** The table that says which migrations `table` has had. */
export function migrationsTable(table: string): string {
  return `${table}_migrations`
}

/**
 * Checks the name of a table: letters, digits and `_`, at most 52, no digit first. It is quoted wherever it is used, so
 * this is about names that every database keeps as they are. Throws `invalid_value`.
 */
export function checkTableName(name: unknown): asserts name is string {
  if (typeof name === 'string' && name.length <= MAX_NAME_LENGTH && /^[a-z_][a-z0-9_]*$/i.test(name)) return
  throw new KeepsakeError(
    'invalid_value',
    `table must be a name of letters, digits and _, at most ${MAX_NAME_LENGTH} long and with no digit first, such as '${DEFAULT_TABLE}'.`,
  )
}

/** The same for the name of a schema. Throws `invalid_value`. */
export function checkSchemaName(name: unknown): asserts name is string {
  if (typeof name === 'string' && name.length <= MAX_SCHEMA_LENGTH && /^[a-z_][a-z0-9_]*$/i.test(name)) return
  throw new KeepsakeError(
    'invalid_value',
    `schema must be a name of letters, digits and _, at most ${MAX_SCHEMA_LENGTH} long and with no digit first.`,
  )
}
