import type { RowWrite } from '@keepsake/core'
import { mysqlMigrations } from '@keepsake/store-sql/mysql'
import { createPool, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise'
import type { RawClient } from './raw-client.ts'

const COLUMNS = '`key`, seq, rec, updated_at_ms, expires_at_ms'

/**
 * `mysql2` by hand: a pool, prepared statements, a batch as one INSERT of many rows in a transaction. Counts of rows do not
 * tell a stale row from one that was inserted, so the rows are read to know what became of them.
 */
export async function rawMysql(url: string, table: string): Promise<RawClient> {
  const pool = createPool(url)
  const [migration] = mysqlMigrations(table)
  for (const statement of migration!.up) await pool.query(statement)

  const newer = 'values(seq) >= seq'
  const insert = (rows: number): string =>
    `insert into ${table} (entity_key, ${COLUMNS}) values ${Array(rows).fill('(?,?,?,?,?,?)').join()} on duplicate key update rec = if(${newer}, values(rec), rec), updated_at_ms = if(${newer}, values(updated_at_ms), updated_at_ms), expires_at_ms = if(${newer}, values(expires_at_ms), expires_at_ms), seq = greatest(seq, values(seq))`
  const select = (rows: number): string =>
    `select ${COLUMNS} from ${table} where entity_key = ? and \`key\` in (${Array(rows).fill('?').join()})`
  const seqs = (rows: number): string =>
    `select entity_key, \`key\`, seq from ${table} where (entity_key, \`key\`) in (${Array(rows).fill('(?,?)').join()})`

  return {
    async write(row) {
      await pool.execute<ResultSetHeader>(insert(1), valuesOf(row))
      const [rows] = await pool.execute<RowDataPacket[]>(seqs(1), [row.entity, row.key])
      return rows[0]!['seq'] === row.seq
    },
    async claim(row) {
      const sql = `insert ignore into ${table} (entity_key, ${COLUMNS}) values (?, ?, ?, ?, ?, ?)`
      const [{ affectedRows }] = await pool.execute<ResultSetHeader>(sql, valuesOf(row))
      return affectedRows === 1
    },
    async writeBatch(batch) {
      const connection = await pool.getConnection()
      try {
        await connection.query('start transaction')
        await connection.execute<ResultSetHeader>(insert(batch.length), batch.flatMap(valuesOf))
        const ids = batch.flatMap(({ entity, key }) => [entity, key])
        const [rows] = await connection.execute<RowDataPacket[]>(seqs(batch.length), ids)
        await connection.query('commit')
        const stored = new Map(rows.map((row) => [`${row['entity_key']} ${row['key']}`, row['seq'] as number]))
        return batch.every(({ entity, key, seq }) => stored.get(`${entity} ${key}`) === seq)
      } finally {
        connection.release()
      }
    },
    async load({ entity, key }) {
      const [rows] = await pool.execute<RowDataPacket[]>(select(1), [entity, key])
      return rows.map(withText)[0]
    },
    async loadMany(ids) {
      const [rows] = await pool.execute<RowDataPacket[]>(select(ids.length), [
        ids[0]!.entity,
        ...ids.map(({ key }) => key),
      ])
      return rows.map(withText)
    },
    async scan(entity, limit) {
      const sql = `select ${COLUMNS} from ${table} where entity_key = ? and \`key\` >= ? order by \`key\` limit ?`
      const [rows] = await pool.execute<RowDataPacket[]>(sql, [entity, '', String(limit)])
      return rows.map(withText)
    },
    async [Symbol.asyncDispose]() {
      for (const statement of migration!.down) await pool.query(statement)
      await pool.end()
    },
  }
}

function valuesOf({ entity, key, seq, rec, updatedAtMs, expiresAtMs }: RowWrite): (string | number | Buffer | null)[] {
  return [entity, key, seq, Buffer.from(rec.buffer, rec.byteOffset, rec.byteLength), updatedAtMs, expiresAtMs ?? null]
}

/** Keys are bytes in the table and text in the program. */
function withText(row: RowDataPacket): unknown {
  return { ...row, key: String(row['key']) }
}
