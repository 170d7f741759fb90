import { KeepsakeError } from '@keepsake/core'
import { migrationsTable } from './tables.ts'

/**
 * One step of a schema, as plain SQL, so that an application's own migration tool can run it as well. The statements
 * also note the step in the table of migrations: whoever runs them, `verify()` knows.
 */
export interface SqlMigration {
  /** Counts from 1. */
  readonly version: number
  readonly name: string
  /** Statements that lead from the version before to this one, to be run in order in one transaction. */
  readonly up: readonly string[]
  /** Statements that lead back, with all rows that the version before cannot hold. */
  readonly down: readonly string[]
}

/**
 * The statements that `provision(options)` runs on a schema of version `current`: up to `to` (left out: the newest), or
 * with `down` down to `to` (left out: 0, nothing is left). Throws `invalid_value` for a `to` that is not on the way.
 */
export function planMigrations(
  migrations: readonly SqlMigration[],
  current: number,
  options: { down?: boolean; to?: number } = {},
): string[] {
  const latest = migrations.length
  const { down = false, to = down ? 0 : latest } = options
  if (!Number.isInteger(to) || to < 0 || to > latest) {
    throw new KeepsakeError('invalid_value', `to must be a schema version: a whole number from 0 to ${latest}.`)
  }
  if (down ? to > current : to < current) {
    throw new KeepsakeError(
      'invalid_value',
      down
        ? `The schema has version ${current}, which is below ${to}; leave out down to go up.`
        : `The schema has version ${current}; going back to ${to} drops tables and their rows, so it needs down: true.`,
      { details: { version: current, to } },
    )
  }
  return down
    ? migrations
        .slice(to, current)
        .toReversed()
        .flatMap((migration) => migration.down)
    : migrations.slice(current, to).flatMap((migration) => migration.up)
}

/** Where a schema is, and what it should become. */
export interface SqlSchema {
  /** The table of rows. */
  table: string
  migrations: readonly SqlMigration[]
  /** The database, for messages. */
  where: string
}

/** Throws `not_provisioned` for an older schema than `migrations` lead to, and `unsupported` for a newer one. */
export function checkVersion(version: number, { migrations, where }: SqlSchema): void {
  const latest = migrations.length
  if (version === latest) return
  if (version > latest) {
    throw new KeepsakeError(
      'unsupported',
      `${where} has schema version ${version}, newer than the ${latest} that this version of @keepsake/store-sql knows; update the package.`,
      { details: { version, latest } },
    )
  }
  throw new KeepsakeError(
    'not_provisioned',
    `${where} has ${version === 0 ? 'no tables of Keepsake' : `schema version ${version} and needs ${latest}`}. Run \`keepsake provision\`, or call provision() on the store.`,
    { details: { version, latest } },
  )
}

/** The statements that bring a schema of version `current` to the one that `options` ask for. Throws `unsupported` for a newer one. */
export function planFrom(current: number, schema: SqlSchema, options?: { down?: boolean; to?: number }): string[] {
  if (current > schema.migrations.length) checkVersion(current, schema)
  return planMigrations(schema.migrations, current, options)
}

/** The error for tables of our names that are not the work of these migrations. */
export function foreignTables({ table, where }: SqlSchema): KeepsakeError {
  return new KeepsakeError(
    'unsupported',
    `${where} has a table ${table} or ${migrationsTable(table)} that is not the work of provision(). Choose another name with table, or drop it.`,
    { details: { table } },
  )
}
