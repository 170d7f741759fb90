import type { Compilable, Kysely, OnConflictBuilder } from 'kysely'
import type { RowsDatabase } from './tables.ts'

/** What a parameter of a statement stands for. Those of a row have the names of its fields. */
export type Slot =
  | 'entity'
  | 'key'
  | 'seq'
  | 'rec'
  | 'updatedAtMs'
  | 'expiresAtMs'
  | 'expectedSeq'
  | 'from'
  | 'end'
  | 'limit'

/** SQL that was built once, and which value goes to each of its parameters, in order. */
export interface Statement {
  readonly sql: string
  readonly slots: readonly Slot[]
}

/** Every statement on the table of rows. */
export interface Statements {
  readonly load: Statement
  /** One entity's rows from a key on. */
  readonly scan: Statement
  /** One entity's rows from a key on and before another. */
  readonly scanTo: Statement
  /** The first entity from a name on. */
  readonly nextEntity: Statement
  /** The first entity from a name on and before another. */
  readonly nextEntityTo: Statement
  /** The guard `'monotonic'`. */
  readonly writeNewer: Statement
  /** The guard `'absent'`. */
  readonly writeAbsent: Statement
  /** The guard `{ seq }`. */
  readonly writeExpected: Statement
  readonly remove: Statement
  /** Removes a row of one seq only. */
  readonly removeAt: Statement
  readonly removeEntity: Statement
}

/**
 * Builds the statements on the table `name` in the dialect of `db`. Kysely takes longer to build a statement than SQLite
 * to run it, so this is done once, and what it gives is run as prepared statements.
 *
 * A write's guard is a condition of the statement itself: the row is changed if it holds, and no row if it does not.
 */
export function buildStatements(db: Kysely<RowsDatabase>, name: string): Statements {
  const table = name as 'keepsake_rows'

  const rows = db
    .selectFrom(table)
    .select(['key', 'seq', 'rec', 'updated_at_ms', 'expires_at_ms'])
    .where('entity_key', '=', slot('entity'))
  const scan = rows.where('key', '>=', slot('from')).orderBy('key').limit(slot('limit'))
  const nextEntity = db
    .selectFrom(table)
    .select((eb) => eb.fn.min('entity_key').as('entity_key'))
    .where('entity_key', '>=', slot('from'))

  const values = {
    seq: slot('seq'),
    rec: slot('rec'),
    updated_at_ms: slot('updatedAtMs'),
    expires_at_ms: slot('expiresAtMs'),
  }
  const insert = db.insertInto(table).values({ entity_key: slot('entity'), key: slot('key'), ...values })
  const remove = db.deleteFrom(table).where('entity_key', '=', slot('entity')).where('key', '=', slot('key'))

  return {
    load: compile(rows.where('key', '=', slot('key'))),
    scan: compile(scan),
    scanTo: compile(scan.where('key', '<', slot('end'))),
    nextEntity: compile(nextEntity),
    nextEntityTo: compile(nextEntity.where('entity_key', '<', slot('end'))),
    writeNewer: compile(
      insert.onConflict((conflict) => replace(conflict).whereRef(`${table}.seq`, '<=', 'excluded.seq')),
    ),
    writeAbsent: compile(
      insert.onConflict((conflict) =>
        replace(conflict).whereRef(`${table}.seq`, '=', 'excluded.seq').whereRef(`${table}.rec`, '=', 'excluded.rec'),
      ),
    ),
    writeExpected: compile(
      db
        .updateTable(table)
        .set(values)
        .where('entity_key', '=', slot('entity'))
        .where('key', '=', slot('key'))
        .where((eb) =>
          eb.or([
            eb('seq', '=', slot('expectedSeq')),
            eb.and([eb('seq', '=', slot('seq')), eb('rec', '=', slot('rec'))]),
          ]),
        ),
    ),
    remove: compile(remove),
    removeAt: compile(remove.where('seq', '=', slot('expectedSeq'))),
    removeEntity: compile(db.deleteFrom(table).where('entity_key', '=', slot('entity'))),
  }
}

function replace(conflict: OnConflictBuilder<RowsDatabase, 'keepsake_rows'>) {
  return conflict.columns(['entity_key', 'key']).doUpdateSet((eb) => ({
    seq: eb.ref('excluded.seq'),
    rec: eb.ref('excluded.rec'),
    updated_at_ms: eb.ref('excluded.updated_at_ms'),
    expires_at_ms: eb.ref('excluded.expires_at_ms'),
  }))
}

/** A parameter: stands where a value would, of whatever type the column has. */
function slot(name: Slot): never {
  return name as never
}

function compile(query: Compilable): Statement {
  const { sql, parameters } = query.compile()
  return { sql, slots: parameters as Slot[] }
}
