import type { Kysely, RawBuilder } from 'kysely'
import {
  compile,
  conflictWrites,
  readStatements,
  replaceIfNewer,
  replaceIfSame,
  rowsTarget,
  selectRows,
  slot,
  type ListSlot,
  type ReadStatements,
  type Slot,
  type Statement,
  type WriteStatements,
} from './statements.ts'
import type { RowsDatabase } from './tables.ts'

/** Every statement on the table of rows in PostgreSQL. One of many rows is the same for any number of them. */
export interface PostgresStatements extends ReadStatements, WriteStatements {
  /** Rows of one entity. */
  readonly loadMany: Statement<Slot | ListSlot>
  /** Rows of several entities, each with its own. */
  readonly loadMixed: Statement<ListSlot>
  readonly entities: Statement
  /** Those before another name. */
  readonly entitiesTo: Statement
  readonly writeNewerMany: Statement<ListSlot>
  readonly writeAbsentMany: Statement<ListSlot>
  readonly writeExpectedMany: Statement<ListSlot>
  readonly removeMany: Statement<ListSlot>
  readonly removeSome: Statement
}

/** Builds the statements on the table `name` of a schema, or of the search path. */
export async function postgresStatements(
  db: Kysely<RowsDatabase>,
  name: string,
  schema: string | undefined,
): Promise<PostgresStatements> {
  const { sql } = await import('kysely')
  const target = rowsTarget(schema === undefined ? db : db.withSchema(schema), name)
  const table = schema === undefined ? sql.table(name) : sql.table(`${schema}.${name}`)

  // Lists are taken apart where a select lists its columns: in FROM they would be stored on the way.
  const item = (list: ListSlot, type: string, column: string) =>
    sql`unnest(${slot(list)}::${sql.raw(type)}[]) as ${sql.ref(column)}`
  const lists = sql.join([
    item('entities', 'text', 'entity_key'),
    item('keys', 'text', 'key'),
    item('seqs', 'bigint', 'seq'),
    item('recStarts', 'int', 'start'),
    item('recLengths', 'int', 'length'),
    item('updatedAtMs', 'bigint', 'updated_at_ms'),
    item('expiresAtMs', 'bigint', 'expires_at_ms'),
  ])
  // Records go as one parameter, of which each row cuts its own: a list of them would go as text of twice the length.
  const columns = sql`"entity_key", "key", "seq", substring(${slot('recs')}::bytea from "start" for "length") as "rec", "updated_at_ms", "expires_at_ms"`
  const insert = target.db
    .insertInto(target.table)
    .columns(['entity_key', 'key', 'seq', 'rec', 'updated_at_ms', 'expires_at_ms'])
    .expression(sql`select ${columns} from (select ${lists}) as "row"`)

  return {
    ...readStatements(target),
    ...conflictWrites(target),
    loadMany: compile(
      selectRows(target)
        .where('entity_key', '=', slot('entity'))
        .where(sql<boolean>`"key" = any(${slot('keys')}::text[])`),
    ),
    loadMixed: compile(
      raw(sql`select "stored"."key", "seq", "rec", "updated_at_ms", "expires_at_ms", "stored"."entity_key"
from (select ${item('entities', 'text', 'entity_key')}, ${item('keys', 'text', 'key')}) as "id"
join ${table} as "stored" on "stored"."entity_key" = "id"."entity_key" and "stored"."key" = "id"."key"`),
    ),
    entities: compile(entitiesFrom(sql``)),
    entitiesTo: compile(entitiesFrom(sql` and "entity_key" < ${slot('end')}`)),
    writeNewerMany: compile(
      insert.onConflict((conflict) => replaceIfNewer(conflict, target.table)).returning(['entity_key', 'key']),
    ),
    writeAbsentMany: compile(
      insert.onConflict((conflict) => replaceIfSame(conflict, target.table)).returning(['entity_key', 'key']),
    ),
    // The join may go through the rows in any order, so they are locked first, in the order that all writers share.
    writeExpectedMany: compile(
      raw(sql`with "locked" as materialized (
  select 1 from unnest(${slot('entities')}::text[], ${slot('keys')}::text[]) with ordinality as "id" ("entity_key", "key", "place")
  join ${table} as "stored" on "stored"."entity_key" = "id"."entity_key" and "stored"."key" = "id"."key"
  order by "id"."place" for update of "stored"
)
update ${table} as "stored"
set "seq" = "row"."seq", "rec" = "row"."rec", "updated_at_ms" = "row"."updated_at_ms", "expires_at_ms" = "row"."expires_at_ms"
from (select ${columns}, "expected_seq" from (select ${lists}, ${item('expectedSeqs', 'bigint', 'expected_seq')}) as "list") as "row"
where (select count(*) from "locked") >= 0
and "stored"."entity_key" = "row"."entity_key" and "stored"."key" = "row"."key"
and ("stored"."seq" = "row"."expected_seq" or ("stored"."seq" = "row"."seq" and "stored"."rec" = "row"."rec"))
returning "stored"."entity_key", "stored"."key"`),
    ),
    removeMany: compile(
      raw(sql`delete from ${table} as "stored"
using unnest(${slot('entities')}::text[], ${slot('keys')}::text[], ${slot('expectedSeqs')}::bigint[]) as "id" ("entity_key", "key", "seq")
where "stored"."entity_key" = "id"."entity_key" and "stored"."key" = "id"."key" and ("id"."seq" is null or "stored"."seq" = "id"."seq")`),
    ),
    removeSome: compile(
      raw(sql`delete from ${table} where "entity_key" = ${slot('entity')} and "key" in (
  select "key" from ${table} where "entity_key" = ${slot('entity')} order by "key" limit ${slot('limit')}
)`),
    ),
  }

  /** A seek for each entity, as `select distinct` would read all rows of each. */
  function entitiesFrom(end: RawBuilder<unknown>) {
    const next = (from: RawBuilder<unknown>) =>
      sql`(select "entity_key" from ${table} where ${from}${end} order by "entity_key" limit 1)`
    return raw(sql`with recursive "entities" ("name") as (
  ${next(sql`"entity_key" >= ${slot('from')}`)}
  union all
  select ${next(sql`"entity_key" > "entities"."name"`)} from "entities" where "name" is not null
)
select "name" from "entities" where "name" is not null limit ${slot('limit')}`)
  }

  function raw(query: RawBuilder<unknown>) {
    return { compile: () => query.compile(db) }
  }
}
