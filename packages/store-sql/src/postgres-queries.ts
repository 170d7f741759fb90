import { KeepsakeError, type Row, type RowWrite } from '@keepsake/core'
import { nameOf } from './load-rows.ts'
import type { PostgresConnection } from './postgres-connections.ts'
import { bytesAndTexts, type PostgresResult } from './postgres-client.ts'
import type { PostgresStatements } from './postgres-statements.ts'
import { postgresTransaction } from './postgres-transaction.ts'
import { plainBytes } from './row-copies.ts'
import { toRow, type RowQueries } from './row-queries.ts'
import { bind, type ListSlot, type Slot, type Statement } from './statements.ts'

const MAX_ROWS = 1000

export function postgresQueries(statements: PostgresStatements): RowQueries<PostgresConnection> {
  const names = new Map<string, string>()
  const writeOne = {
    newer: statements.writeNewer,
    absent: statements.writeAbsent,
    expected: statements.writeExpected,
  }
  const writeMany = {
    newer: statements.writeNewerMany,
    absent: statements.writeAbsentMany,
    expected: statements.writeExpectedMany,
  }

  /** Runs a statement under a name, so that each connection prepares it once. */
  function run<S extends string>(
    { client }: PostgresConnection,
    statement: Statement<S>,
    values: { readonly [name in S]?: unknown },
  ): Promise<PostgresResult> {
    let name = names.get(statement.sql)
    if (name === undefined) names.set(statement.sql, (name = statementName(statement.sql)))
    return client.query({
      name,
      text: statement.sql,
      values: bind<S, unknown>(statement, values),
      rowMode: 'array',
      types: bytesAndTexts(client),
    })
  }

  return {
    limits: { maxRows: { newer: MAX_ROWS, absent: MAX_ROWS, expected: MAX_ROWS }, maxBytes: 16 * 1024 * 1024 },
    maxIds: MAX_ROWS,
    tells: () => true,
    pipelines: ({ pipelined }) => pipelined,

    load(connection, ids) {
      const { entity, key } = ids[0]!
      if (ids.length === 1) return rowsOf(run(connection, statements.load, { entity, key }), entity)
      const keys = list(ids, (id) => quoted(id.key))
      if (ids.every((id) => id.entity === entity)) {
        return rowsOf(run(connection, statements.loadMany, { entity, keys }), entity)
      }
      const entities = list(ids, (id) => quoted(id.entity))
      return rowsOf(run(connection, statements.loadMixed, { entities, keys }))
    },

    scan(connection, entity, { from, end }, limit) {
      const found =
        end === undefined
          ? run(connection, statements.scan, { entity, from, limit })
          : run(connection, statements.scanTo, { entity, from, end, limit })
      return rowsOf(found, entity)
    },

    async entities(connection, { from, end }, limit) {
      const { rows } = await (end === undefined
        ? run(connection, statements.entities, { from, limit })
        : run(connection, statements.entitiesTo, { from, end, limit }))
      return rows.map(([name]) => name as string)
    },

    async write(connection, kind, rows) {
      if (rows.length === 1) {
        const { rowCount } = await run(connection, writeOne[kind], oneRow(rows[0]!))
        return [rowCount === 1]
      }
      const { rows: applied } = await run(connection, writeMany[kind], manyRows(rows))
      if (applied.length === rows.length) return rows.map(() => true)
      const named = new Set(applied.map(([entity, key]) => nameOf({ entity: entity as string, key: key as string })))
      return rows.map((row) => named.has(nameOf(row)))
    },

    async remove(connection, ids) {
      const { rowCount } = await run(connection, statements.removeMany, {
        entities: list(ids, ({ entity }) => quoted(entity)),
        keys: list(ids, ({ key }) => quoted(key)),
        expectedSeqs: list(ids, ({ seq }) => seq),
      })
      return rowCount ?? 0
    },

    async removeSome(connection, entity, limit) {
      const { rowCount } = await run(connection, statements.removeSome, { entity, limit })
      return rowCount ?? 0
    },

    ...postgresTransaction,
  }
}

/** Rows by the columns that every reading statement has. Their entity is the one that is known, or the last column. */
async function rowsOf(found: Promise<PostgresResult>, known?: string): Promise<Row[]> {
  const { rows } = await found
  return rows.map(([key, seq, rec, updatedAtMs, expiresAtMs, entity]) =>
    toRow(known ?? (entity as string), key as string, toBytes(rec), [seq, updatedAtMs, expiresAtMs]),
  )
}

/** What `pg` has just made of a text, for nobody else. */
function toBytes(parsed: unknown): Uint8Array {
  if (parsed instanceof Uint8Array) return plainBytes(parsed)
  throw new KeepsakeError('unsupported', 'pg was told to make something else than bytes of the type bytea (17).')
}

function oneRow(row: RowWrite): { [name in Slot]?: unknown } {
  return typeof row.guard === 'object' ? { ...row, expectedSeq: row.guard.seq } : row
}

function manyRows(rows: readonly RowWrite[]): { [name in ListSlot]?: unknown } {
  const recs = new Uint8Array(rows.reduce((bytes, { rec }) => bytes + rec.length, 0))
  let end = 0
  const recStarts = list(rows, ({ rec }) => {
    const start = end
    recs.set(rec, start)
    end += rec.length
    // SQL counts from 1.
    return start + 1
  })
  return {
    entities: list(rows, ({ entity }) => quoted(entity)),
    keys: list(rows, ({ key }) => quoted(key)),
    seqs: list(rows, ({ seq }) => seq),
    recs,
    recStarts,
    recLengths: list(rows, ({ rec }) => rec.length),
    updatedAtMs: list(rows, ({ updatedAtMs }) => updatedAtMs),
    expiresAtMs: list(rows, ({ expiresAtMs }) => expiresAtMs),
    expectedSeqs: list(rows, ({ guard }) => (typeof guard === 'object' ? guard.seq : undefined)),
  }
}

/** Items as an array of PostgreSQL's: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function list<T>(items: readonly T[], toText: (item: T) => string | number | undefined): string {
  let text = ''
  for (const item of items) text += `${text === '' ? '' : ','}${toText(item) ?? 'NULL'}`
  return `{${text}}`
}

function quoted(text: string): string {
  return `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`
}

/** A name that says the same of every copy of a statement, also in another store on the same pool. FNV-1a, twice 32 bits. */
function statementName(sql: string): string {
  let [low, high] = [0x811c9dc5, 0x050c5d1f]
  for (let i = 0; i < sql.length; i++) {
    low = Math.imul(low ^ sql.charCodeAt(i), 0x01000193)
    high = Math.imul(high ^ sql.charCodeAt(i), 0x0100_0197)
  }
  return `keepsake_${(high >>> 0).toString(16)}${(low >>> 0).toString(16).padStart(8, '0')}`
}
