import type { Kysely } from 'kysely'
import {
  compile,
  conflictWrites,
  readStatements,
  rowsTarget,
  slot,
  type ReadStatements,
  type Statement,
  type WriteStatements,
} from './statements.ts'
import type { RowsDatabase } from './tables.ts'

/** Every statement on the table of rows in SQLite. */
export interface SqliteStatements extends ReadStatements, WriteStatements {
  /** The first entity from a name on. */
  readonly nextEntity: Statement
  /** The first entity from a name on and before another. */
  readonly nextEntityTo: Statement
  readonly remove: Statement
  /** Removes a row of one seq only. */
  readonly removeAt: Statement
  readonly removeEntity: Statement
}

/**
 * Builds the statements on the table `name`. Kysely takes longer to build a statement than SQLite to run it, so this is
 * done once, and what it gives is run as prepared statements.
 */
export function sqliteStatements(db: Kysely<RowsDatabase>, name: string): SqliteStatements {
  const target = rowsTarget(db, name)
  const nextEntity = db
    .selectFrom(target.table)
    .select((eb) => eb.fn.min('entity_key').as('entity_key'))
    .where('entity_key', '>=', slot('from'))
  const removeEntity = db.deleteFrom(target.table).where('entity_key', '=', slot('entity'))
  const remove = removeEntity.where('key', '=', slot('key'))
  return {
    ...readStatements(target),
    ...conflictWrites(target),
    nextEntity: compile(nextEntity),
    nextEntityTo: compile(nextEntity.where('entity_key', '<', slot('end'))),
    remove: compile(remove),
    removeAt: compile(remove.where('seq', '=', slot('expectedSeq'))),
    removeEntity: compile(removeEntity),
  }
}
