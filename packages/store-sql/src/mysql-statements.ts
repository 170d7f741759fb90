import type { Compilable, Expression, Kysely, SqlBool } from 'kysely'
import {
  compile,
  readStatements,
  rowsTarget,
  rowValues,
  selectRows,
  slot,
  updateExpected,
  type ReadStatements,
  type Statement,
} from './statements.ts'
import type { RowsDatabase } from './tables.ts'

/** SQL for a number of rows; the parameters of each row follow those of the one before. */
type SizedStatement = (rows: number) => string

/** Every statement on the table of rows in MySQL and MariaDB. */
export interface MysqlStatements extends ReadStatements {
  /** Rows of one entity. Parameters: the entity, then keys. */
  readonly loadMany: SizedStatement
  /** Rows of several entities, each with its own. Parameters of a row: entity and key. */
  readonly loadMixed: SizedStatement
  /** The same within a transaction: the rows as they are now, and locked. */
  readonly loadLocked: SizedStatement
  readonly entities: Statement
  /** Those before another name. */
  readonly entitiesTo: Statement
  /** Parameters of a row: those of {@link MysqlStatements.row}. */
  readonly writeNewer: SizedStatement
  readonly writeAbsent: SizedStatement
  readonly row: Statement['slots']
  readonly writeExpected: Statement
  /** Parameters of a row: entity, key, and seq or NULL. */
  readonly removeMany: SizedStatement
  readonly removeSome: Statement
}

/** Builds the statements on the table `name`; those of many rows when a number of rows is first needed. */
export async function mysqlStatements(db: Kysely<RowsDatabase>, name: string): Promise<MysqlStatements> {
  const { sql } = await import('kysely')
  const target = rowsTarget(db, name)
  const { table } = target

  const loadMany = (rows: number) =>
    selectRows(target)
      .where('entity_key', '=', slot('entity'))
      .where('key', 'in', repeat(rows, slot('key')))
  const loadMixed = (rows: number) =>
    selectRows(target)
      .select('entity_key')
      .where((eb) => eb(eb.refTuple('entity_key', 'key'), 'in', repeat(rows, eb.tuple(slot('entity'), slot('key')))))
  const entities = db
    .selectFrom(table)
    .select('entity_key')
    .distinct()
    .where('entity_key', '>=', slot('from'))
    .orderBy('entity_key')
    .limit(slot('limit'))

  const row = { entity_key: slot('entity'), key: slot('key'), ...rowValues() }
  const insert = (rows: number) => db.insertInto(table).values(repeat(rows, row))
  // VALUES() is what both servers know. Assignments are made in order: each sees the values of those before it.
  const isNewer = sql<SqlBool>`values(\`seq\`) >= \`seq\``
  const isSame = sql<SqlBool>`\`seq\` = values(\`seq\`) and \`rec\` = values(\`rec\`)`
  const replaceIf = <T>(condition: Expression<SqlBool>, column: 'rec' | 'updated_at_ms' | 'expires_at_ms') =>
    sql<T>`if(${condition}, values(${sql.ref(column)}), ${sql.ref(column)})`

  return {
    ...readStatements(target),
    loadMany: sized(loadMany),
    loadMixed: sized(loadMixed),
    loadLocked: sized((rows) => loadMixed(rows).forUpdate()),
    entities: compile(entities),
    entitiesTo: compile(entities.where('entity_key', '<', slot('end'))),
    writeNewer: sized((rows) =>
      insert(rows).onDuplicateKeyUpdate({
        rec: replaceIf(isNewer, 'rec'),
        updated_at_ms: replaceIf(isNewer, 'updated_at_ms'),
        expires_at_ms: replaceIf(isNewer, 'expires_at_ms'),
        seq: sql`greatest(values(\`seq\`), \`seq\`)`,
      }),
    ),
    writeAbsent: sized((rows) =>
      insert(rows).onDuplicateKeyUpdate({
        updated_at_ms: replaceIf(isSame, 'updated_at_ms'),
        expires_at_ms: replaceIf(isSame, 'expires_at_ms'),
      }),
    ),
    row: compile(db.insertInto(table).values(row)).slots,
    writeExpected: compile(updateExpected(target)),
    removeMany: sized((rows) =>
      db
        .deleteFrom(table)
        .where((eb) =>
          eb.or(
            Array.from({ length: rows }, () =>
              eb.and([
                eb('entity_key', '=', slot('entity')),
                eb('key', '=', slot('key')),
                sql<SqlBool>`\`seq\` = coalesce(${slot('expectedSeq')}, \`seq\`)`,
              ]),
            ),
          ),
        ),
    ),
    // In the order of the whole key: MariaDB sorts otherwise.
    removeSome: compile(
      db
        .deleteFrom(table)
        .where('entity_key', '=', slot('entity'))
        .orderBy('entity_key')
        .orderBy('key')
        .limit(slot('limit')),
    ),
  }
}

function repeat<T>(times: number, item: T): T[] {
  return Array.from({ length: times }, () => item)
}

function sized(build: (rows: number) => Compilable): SizedStatement {
  const built = new Map<number, string>()
  return (rows) => {
    let sql = built.get(rows)
    if (sql === undefined) built.set(rows, (sql = compile(build(rows)).sql))
    return sql
  }
}
