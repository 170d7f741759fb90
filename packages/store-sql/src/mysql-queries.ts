import { KeepsakeError, type Row, type RowWrite } from '@keepsake/core'
import { execute, executeChange, query } from './mysql-client.ts'
import type { MysqlConnection } from './mysql-connections.ts'
import type { MysqlStatements } from './mysql-statements.ts'
import { toldOfInsert } from './mysql-verdict.ts'
import { copyBytes, plainBytes } from './row-copies.ts'
import { toRow, type RowQueries } from './row-queries.ts'
import { bind, type Slot, type Statement } from './statements.ts'
import type { TransactionQueries } from './transaction.ts'

/** What was found out about a server. */
export interface MysqlServer {
  /** The largest packet that it takes, in bytes. */
  maxPacketBytes: number
  /** Whether a write that changes nothing says 0 rows. */
  countsChanges: boolean
}

/** A statement of so many rows is prepared for that number of rows. */
const MAX_ROWS = 100
const MAX_BYTES = 8 * 1024 * 1024
/** A row without its record in a packet: names of the greatest length and numbers. */
const ROW_BYTES = 2048

export function mysqlQueries(
  statements: MysqlStatements,
  { maxPacketBytes, countsChanges }: MysqlServer,
): RowQueries<MysqlConnection> {
  return {
    limits: {
      // A multi-row UPDATE with a value for each row has no form that both servers know.
      maxRows: { newer: MAX_ROWS, absent: MAX_ROWS, expected: 1 },
      maxBytes: Math.min(MAX_BYTES, maxPacketBytes - MAX_ROWS * ROW_BYTES),
    },
    maxIds: MAX_ROWS,
    tells: (rows) => rows === 1 && countsChanges,
    pipelines: () => false,

    async load({ client }, ids, written) {
      const { entity, key } = ids[0]!
      if (written || ids.some((id) => id.entity !== entity)) {
        const statement = written ? statements.loadLocked : statements.loadMixed
        const values = ids.flatMap((id) => [toBytes(id.entity), toBytes(id.key)])
        return toRows(await execute(client, statement(ids.length), values))
      }
      if (ids.length === 1) {
        return toRows(await execute(client, statements.load.sql, [toBytes(entity), toBytes(key)]), entity)
      }
      const values = [entity, ...ids.map((id) => id.key)].map(toBytes)
      return toRows(await execute(client, statements.loadMany(ids.length), values), entity)
    },

    async scan(connection, entity, bounds, limit) {
      const statement = bounds.end === undefined ? statements.scan : statements.scanTo
      const values = { entity: toBytes(entity), ...toValues(bounds), limit: String(limit) }
      return toRows(await read(connection, statement, values), entity)
    },

    async entities(connection, bounds, limit) {
      const statement = bounds.end === undefined ? statements.entities : statements.entitiesTo
      const rows = await read(connection, statement, { ...toValues(bounds), limit: String(limit) })
      return rows.map(([name]) => String(name))
    },

    async write({ client }, kind, rows) {
      checkPacket(rows, maxPacketBytes)
      const values = rows.flatMap((row) => bindRow(statements.row, row))
      if (kind === 'newer') {
        const outcome = await executeChange(client, statements.writeNewer(rows.length), values)
        return toldOfInsert(rows.length, outcome, countsChanges)
      }
      if (kind === 'absent') {
        const outcome = await executeChange(client, statements.writeAbsent(rows.length), values)
        return toldOfInsert(rows.length, outcome, countsChanges)
      }
      const { sql, slots } = statements.writeExpected
      const { affectedRows } = await executeChange(client, sql, bindRow(slots, rows[0]!))
      return [affectedRows === 1 ? true : undefined]
    },

    async remove({ client }, ids) {
      const values = ids.flatMap(({ entity, key, seq }) => [toBytes(entity), toBytes(key), seq ?? null])
      return (await executeChange(client, statements.removeMany(ids.length), values)).affectedRows
    },

    async removeSome({ client }, entity, limit) {
      const values = bind<Slot, unknown>(statements.removeSome, { entity: toBytes(entity), limit: String(limit) })
      return (await executeChange(client, statements.removeSome.sql, values)).affectedRows
    },

    ...mysqlTransaction,
  }
}

/** In a transaction that the connection remembers, so that it is never given back with one open. */
const mysqlTransaction: TransactionQueries<MysqlConnection> = {
  async begin(connection) {
    connection.inTransaction = true
    await query(connection.client, 'START TRANSACTION')
  },
  async commit(connection) {
    await query(connection.client, 'COMMIT')
    connection.inTransaction = false
  },
  async rollback(connection) {
    await query(connection.client, 'ROLLBACK')
    connection.inTransaction = false
  },
}

type Values = { readonly [name in Slot]?: unknown }

function read({ client }: MysqlConnection, statement: Statement, values: Values): Promise<unknown[][]> {
  return execute(client, statement.sql, bind<Slot, unknown>(statement, values))
}

function bindRow(
  slots: readonly Slot[],
  { entity, key, seq, rec, updatedAtMs, expiresAtMs, guard }: RowWrite,
): unknown[] {
  const values: Values = {
    entity: toBytes(entity),
    key: toBytes(key),
    seq,
    rec: Buffer.from(rec.buffer, rec.byteOffset, rec.byteLength),
    updatedAtMs,
    expiresAtMs,
    expectedSeq: typeof guard === 'object' ? guard.seq : undefined,
  }
  return slots.map((name) => values[name] ?? null)
}

function toValues({ from, end }: { from: string; end: string | undefined }): Values {
  return { from: toBytes(from), ...(end !== undefined && { end: toBytes(end) }) }
}

/** Names go as bytes, which no setting of the connection can change. */
function toBytes(text: string): Buffer {
  return Buffer.from(text)
}

/** Rows by the columns that every reading statement has. Their entity is the one that is known, or the last column. */
function toRows(found: unknown[][], known?: string): Row[] {
  const recs = found.map(([, , rec]) => rec as Buffer)
  // What `mysql2` gives is a part of some 64 KB that it received. A small record would keep all of that.
  const copies = copyBytes(recs.map((rec) => (rec.length < LARGE_BYTES ? rec : NOTHING)))
  return found.map(([key, seq, , updatedAtMs, expiresAtMs, entity], i) =>
    toRow(known ?? String(entity), String(key), recs[i]!.length < LARGE_BYTES ? copies[i]! : plainBytes(recs[i]!), [
      seq,
      updatedAtMs,
      expiresAtMs,
    ]),
  )
}

const LARGE_BYTES = 4096
const NOTHING = new Uint8Array(0)

/** The server would close the connection. */
function checkPacket(rows: readonly RowWrite[], maxPacketBytes: number): void {
  const bytes = Math.max(...rows.map(({ rec }) => rec.length))
  const maxBytes = maxPacketBytes - ROW_BYTES
  if (bytes <= maxBytes) return
  throw new KeepsakeError(
    'too_large',
    `A record has ${bytes} bytes, and this server takes at most ${maxBytes}: raise max_allowed_packet to 16 MiB.`,
    { details: { bytes, maxBytes } },
  )
}
