import type {
  Compilable,
  Kysely,
  OnConflictBuilder,
  OnConflictDatabase,
  OnConflictTables,
  OnConflictUpdateBuilder,
  SelectQueryBuilder,
} from 'kysely'
import type { RowsDatabase, RowsTable } from './tables.ts'

/** What a parameter of a statement on one row stands for. Those of a row have the names of its fields. */
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

/** What a parameter of a statement on many rows stands for: a list with an item for each row. `recs` is all records as one. */
export type ListSlot =
  | 'entities'
  | 'keys'
  | 'seqs'
  | 'recs'
  | 'recStarts'
  | 'recLengths'
  | 'updatedAtMs'
  | 'expiresAtMs'
  | 'expectedSeqs'

/** SQL that was built once, and which value goes to each of its parameters, in order. */
export interface Statement<S extends string = Slot> {
  readonly sql: string
  readonly slots: readonly S[]
}

/** Statements that are the same in every database. */
export interface ReadStatements {
  readonly load: Statement
  /** One entity's rows from a key on. */
  readonly scan: Statement
  /** One entity's rows from a key on and before another. */
  readonly scanTo: Statement
}

/** Writes of one row, a statement for each guard. */
export interface WriteStatements {
  /** The guard `'monotonic'`. */
  readonly writeNewer: Statement
  /** The guard `'absent'`. */
  readonly writeAbsent: Statement
  /** The guard `{ seq }`. */
  readonly writeExpected: Statement
}

/** A builder on the table of rows, whatever its name is. */
export interface RowsTarget {
  readonly db: Kysely<RowsDatabase>
  readonly table: 'keepsake_rows'
}

/** The table `name` for the builders, which know it by the default name only: the columns are the same. */
export function rowsTarget(db: Kysely<RowsDatabase>, name: string): RowsTarget {
  return { db, table: name as 'keepsake_rows' }
}

export function readStatements(target: RowsTarget): ReadStatements {
  const rows = selectRows(target).where('entity_key', '=', slot('entity'))
  const scan = rows.where('key', '>=', slot('from')).orderBy('key').limit(slot('limit'))
  return {
    load: compile(rows.where('key', '=', slot('key'))),
    scan: compile(scan),
    scanTo: compile(scan.where('key', '<', slot('end'))),
  }
}

/** The columns of a row of which the entity is known. */
export function selectRows({
  db,
  table,
}: RowsTarget): SelectQueryBuilder<RowsDatabase, 'keepsake_rows', Omit<RowsTable, 'entity_key'>> {
  return db.selectFrom(table).select(['key', 'seq', 'rec', 'updated_at_ms', 'expires_at_ms'])
}

/**
 * The writes of SQLite and PostgreSQL. A write's guard is a condition of the statement itself: the row is changed if it
 * holds, and no row if it does not.
 */
export function conflictWrites({ db, table }: RowsTarget): WriteStatements {
  const insert = db.insertInto(table).values({ entity_key: slot('entity'), key: slot('key'), ...rowValues() })
  return {
    writeNewer: compile(insert.onConflict((conflict) => replaceIfNewer(conflict, table))),
    writeAbsent: compile(insert.onConflict((conflict) => replaceIfSame(conflict, table))),
    writeExpected: compile(updateExpected({ db, table })),
  }
}

type Conflict = OnConflictBuilder<RowsDatabase, 'keepsake_rows'>
type Replacement = OnConflictUpdateBuilder<
  OnConflictDatabase<RowsDatabase, 'keepsake_rows'>,
  OnConflictTables<'keepsake_rows'>
>

/** The guard `'monotonic'` of an insertion that meets a row. */
export function replaceIfNewer(conflict: Conflict, table: RowsTarget['table']): Replacement {
  return replace(conflict).whereRef(`${table}.seq`, '<=', 'excluded.seq')
}

/** The guard `'absent'` of an insertion that meets a row. */
export function replaceIfSame(conflict: Conflict, table: RowsTarget['table']): Replacement {
  return replace(conflict).whereRef(`${table}.seq`, '=', 'excluded.seq').whereRef(`${table}.rec`, '=', 'excluded.rec')
}

/** The guard `{ seq }`, of one row. */
export function updateExpected({ db, table }: RowsTarget): Compilable {
  return db
    .updateTable(table)
    .set(rowValues())
    .where('entity_key', '=', slot('entity'))
    .where('key', '=', slot('key'))
    .where((eb) =>
      eb.or([eb('seq', '=', slot('expectedSeq')), eb.and([eb('seq', '=', slot('seq')), eb('rec', '=', slot('rec'))])]),
    )
}

/** A parameter: stands where a value would, of whatever type the column has. */
export function slot(name: Slot | ListSlot): never {
  return name as never
}

export function compile<S extends string = Slot>(query: Compilable): Statement<S> {
  const { sql, parameters } = query.compile()
  return { sql, slots: parameters as S[] }
}

/** The values of a statement's parameters. What is left out is NULL. */
export function bind<S extends string, T>(
  { slots }: Statement<S>,
  values: { readonly [name in S]?: T | undefined },
): (T | null)[] {
  return slots.map((name) => values[name] ?? null)
}

/** What is set of a row. */
export function rowValues(): Record<'seq' | 'rec' | 'updated_at_ms' | 'expires_at_ms', never> {
  return { seq: slot('seq'), rec: slot('rec'), updated_at_ms: slot('updatedAtMs'), expires_at_ms: slot('expiresAtMs') }
}

function replace(conflict: Conflict): Replacement {
  return conflict.columns(['entity_key', 'key']).doUpdateSet((eb) => ({
    seq: eb.ref('excluded.seq'),
    rec: eb.ref('excluded.rec'),
    updated_at_ms: eb.ref('excluded.updated_at_ms'),
    expires_at_ms: eb.ref('excluded.expires_at_ms'),
  }))
}
