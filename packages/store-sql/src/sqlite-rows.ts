import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  decideWrite,
  MAX_REC_BYTES,
  type Range,
  type Row,
  type RowId,
  type RowWrite,
  type StoreLimits,
  type WriteResult,
} from '@keepsake/core'
import { boundsOf, successor } from './bounds.ts'
import type { SqliteStatements } from './sqlite-statements.ts'
import { inSnapshot, inTransaction } from './sqlite-transaction.ts'
import { bind, type Slot, type Statement } from './statements.ts'

/** The work of a store on a database that is open and ready. All of it is synchronous: SQLite runs in this thread. */
export interface SqliteRows {
  load(ids: readonly RowId[]): (Row | undefined)[]
  scan(entity: string, range: Range): Row[]
  entities(range: Range): string[]
  /** Longer calls than the limits allow are several transactions. */
  write(rows: readonly RowWrite[]): WriteResult[]
  remove(ids: readonly (RowId & { seq?: number })[]): number
  removeEntity(entity: string): number
}

/** Several rows are one transaction, up to `maxBatchRows`: a longer one would keep other writers waiting. */
export const sqliteLimits: StoreLimits = Object.freeze({
  maxRecBytes: MAX_REC_BYTES,
  maxBatchRows: 1000,
  atomicBatch: true,
})

const APPLIED: WriteResult = Object.freeze({ status: 'applied' })

/** Prepares the statements, which also proves that the table has the columns. Checked arguments are expected. */
export function sqliteRows(database: DatabaseSync, statements: SqliteStatements): SqliteRows {
  const load = prepare(database, statements.load)
  const scan = prepare(database, statements.scan)
  const scanTo = prepare(database, statements.scanTo)
  const nextEntity = prepare(database, statements.nextEntity)
  const nextEntityTo = prepare(database, statements.nextEntityTo)
  const writeNewer = prepare(database, statements.writeNewer)
  const writeAbsent = prepare(database, statements.writeAbsent)
  const writeExpected = prepare(database, statements.writeExpected)
  const remove = prepare(database, statements.remove)
  const removeAt = prepare(database, statements.removeAt)
  const removeEntity = prepare(database, statements.removeEntity)

  function loadRow(id: RowId): Row | undefined {
    const found = load.get(id)
    return found && toRow(id.entity, found)
  }

  function writeRow(write: RowWrite): WriteResult {
    for (;;) {
      if (changesOf(write) > 0) return APPLIED
      // Stale. Another process may have come between the two statements, outside a transaction: if by what is stored now
      // the write holds after all, it is its turn again.
      const verdict = decideWrite(loadRow(write), write)
      if (verdict.status === 'stale') return verdict
    }
  }

  function changesOf(write: RowWrite): number {
    const { guard = 'monotonic' } = write
    if (guard === 'monotonic') return writeNewer.run(write)
    if (guard === 'absent') return writeAbsent.run(write)
    return writeExpected.run({ ...write, expectedSeq: guard.seq })
  }

  function removeRow(id: RowId & { seq?: number }): number {
    const { entity, key, seq } = id
    return seq === undefined ? remove.run(id) : removeAt.run({ entity, key, expectedSeq: seq })
  }

  return {
    load(ids) {
      const loadAll = () => ids.map(loadRow)
      return ids.length > 1 ? inSnapshot(database, loadAll) : loadAll()
    },

    scan(entity, range) {
      const { from, end } = boundsOf(range)
      const { limit } = range
      const found = end === undefined ? scan.all({ entity, from, limit }) : scanTo.all({ entity, from, end, limit })
      return found.map((columns) => toRow(entity, columns))
    },

    entities(range) {
      const { from, end } = boundsOf(range)
      const names: string[] = []
      // A seek for each entity: a `select distinct` reads all rows of each.
      for (let next = from; names.length < range.limit; next = successor(names.at(-1)!)) {
        const [name] = (end === undefined ? nextEntity.get({ from: next }) : nextEntityTo.get({ from: next, end }))!
        if (name === null) break
        names.push(name as string)
      }
      return names
    },

    write(rows) {
      if (rows.length === 1) return [writeRow(rows[0]!)]
      const results: WriteResult[] = []
      for (let start = 0; start < rows.length; start += sqliteLimits.maxBatchRows) {
        const batch = rows.slice(start, start + sqliteLimits.maxBatchRows)
        results.push(...inTransaction(database, () => batch.map(writeRow)))
      }
      return results
    },

    remove(ids) {
      const removeAll = () => ids.reduce((removed, id) => removed + removeRow(id), 0)
      return ids.length > 1 ? inTransaction(database, removeAll) : removeAll()
    },

    removeEntity: (entity) => removeEntity.run({ entity }),
  }
}

type Values = { readonly [name in Slot]?: SQLInputValue | undefined }

interface Prepared {
  get(values: Values): Columns | undefined
  all(values: Values): Columns[]
  /** The number of rows that it changed. */
  run(values: Values): number
}

/** A row of a result as an array, which node:sqlite makes faster than objects. */
type Columns = unknown[]

function prepare(database: DatabaseSync, statement: Statement): Prepared {
  const prepared: StatementSync = database.prepare(statement.sql)
  prepared.setReturnArrays(true)
  prepared.setReadBigInts(false)
  const bound = (values: Values): SQLInputValue[] => bind<Slot, SQLInputValue>(statement, values)
  return {
    get: (values) => prepared.get(...bound(values)) as Columns | undefined,
    all: (values) => prepared.all(...bound(values)) as unknown as Columns[],
    run: (values) => Number(prepared.run(...bound(values)).changes),
  }
}

function toRow(entity: string, [key, seq, rec, updatedAtMs, expiresAtMs]: Columns): Row {
  const row = { entity, key, seq, rec, updatedAtMs } as Row
  if (expiresAtMs !== null) row.expiresAtMs = expiresAtMs as number
  return row
}
