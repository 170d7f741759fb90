import type { RowWrite } from '@keepsake/core'
import { postgresMigrations } from '@keepsake/store-sql/postgres'
import { Pool } from 'pg'
import type { RawClient } from './raw-client.ts'

const COLUMNS = 'key, seq, rec, updated_at_ms, expires_at_ms'

/** `pg` by hand: a pool, named statements, a batch as one INSERT of many rows. */
export async function rawPostgres(url: string, table: string): Promise<RawClient> {
  const pool = new Pool({ connectionString: url })
  const [migration] = postgresMigrations({ table })
  for (const statement of migration!.up) await pool.query(statement)

  const insert = (rows: number): string => {
    const values = Array.from({ length: rows }, (_, i) => `(${[1, 2, 3, 4, 5, 6].map((n) => `$${i * 6 + n}`).join()})`)
    return `insert into ${table} (entity_key, ${COLUMNS}) values ${values.join()} on conflict (entity_key, key) do update set seq = excluded.seq, rec = excluded.rec, updated_at_ms = excluded.updated_at_ms, expires_at_ms = excluded.expires_at_ms where ${table}.seq <= excluded.seq`
  }
  const statements = new Map<number, string>()
  async function write(rows: readonly RowWrite[]): Promise<boolean> {
    let text = statements.get(rows.length)
    if (text === undefined) statements.set(rows.length, (text = insert(rows.length)))
    const { rowCount } = await pool.query({ name: `write-${rows.length}`, text, values: rows.flatMap(valuesOf) })
    return rowCount === rows.length
  }

  return {
    write: (row) => write([row]),
    writeBatch: write,
    async claim(row) {
      const text = `insert into ${table} (entity_key, ${COLUMNS}) values ($1, $2, $3, $4, $5, $6) on conflict do nothing`
      return (await pool.query({ name: 'claim', text, values: valuesOf(row) })).rowCount === 1
    },
    async load({ entity, key }) {
      const text = `select ${COLUMNS} from ${table} where entity_key = $1 and key = $2`
      return (await pool.query({ name: 'load', text, values: [entity, key] })).rows[0]
    },
    async loadMany(ids) {
      const text = `select ${COLUMNS} from ${table} where entity_key = $1 and key = any($2)`
      return (await pool.query({ name: 'load-many', text, values: [ids[0]!.entity, ids.map(({ key }) => key)] })).rows
    },
    async scan(entity, limit) {
      const text = `select ${COLUMNS} from ${table} where entity_key = $1 and key >= $2 order by key limit $3`
      return (await pool.query({ name: 'scan', text, values: [entity, '', limit] })).rows
    },
    async [Symbol.asyncDispose]() {
      for (const statement of migration!.down) await pool.query(statement)
      await pool.end()
    },
  }
}

function valuesOf({ entity, key, seq, rec, updatedAtMs, expiresAtMs }: RowWrite): unknown[] {
  return [entity, key, seq, rec, updatedAtMs, expiresAtMs ?? null]
}
