import { KeepsakeError } from '@keepsake/core'

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
