import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { RowId, RowWrite } from '@keepsake/core'
import { sqliteMigrations } from '@keepsake/store-sql/sqlite'
import type { RawClient } from './raw-client.ts'

const COLUMNS = '"key", "seq", "rec", "updated_at_ms", "expires_at_ms"'
const INSERT = `insert into "keepsake_rows" ("entity_key", ${COLUMNS}) values (?, ?, ?, ?, ?, ?)`
const LOAD = `select ${COLUMNS} from "keepsake_rows" where "entity_key" = ? and`

/** The statements that the store runs, for the bare client to run as well. */
export const STATEMENTS = {
  write: `${INSERT} on conflict ("entity_key", "key") do update set "seq" = "excluded"."seq", "rec" = "excluded"."rec", "updated_at_ms" = "excluded"."updated_at_ms", "expires_at_ms" = "excluded"."expires_at_ms" where "keepsake_rows"."seq" <= "excluded"."seq"`,
  load: `${LOAD} "key" = ?`,
  scan: `${LOAD} "key" >= ? order by "key" limit ?`,
} as const

/** How SQLite calls what survives a power cut, and what survives the end of the process. */
export const DURABILITIES = { power: 'FULL', process: 'NORMAL' } as const

/** `node:sqlite` by hand: one connection, prepared statements, a transaction for a batch. It answers at once. */
export function rawSqlite(path: string, durability: keyof typeof DURABILITIES) {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${DURABILITIES[durability]}`)
  for (const sql of sqliteMigrations().flatMap(({ up }) => up)) database.exec(sql)
  const write = database.prepare(STATEMENTS.write)
  const claim = database.prepare(`${INSERT} on conflict do nothing`)
  const load = database.prepare(STATEMENTS.load)
  const loadMany: StatementSync[] = []
  const scan = database.prepare(STATEMENTS.scan)
  const writeRow = (row: RowWrite): boolean => write.run(...valuesOf(row)).changes === 1
  return {
    write: writeRow,
    claim: (row: RowWrite) => claim.run(...valuesOf(row)).changes === 1,
    writeBatch(rows: readonly RowWrite[]): boolean {
      database.exec('BEGIN IMMEDIATE')
      const applied = rows.filter(writeRow)
      database.exec('COMMIT')
      return applied.length === rows.length
    },
    load: ({ entity, key }: RowId) => load.get(entity, key),
    loadMany(ids: readonly RowId[]) {
      loadMany[ids.length] ??= database.prepare(`${LOAD} "key" in (${ids.map(() => '?').join()})`)
      return loadMany[ids.length]!.all(ids[0]!.entity, ...ids.map(({ key }) => key))
    },
    scan: (entity: string, limit: number) => scan.all(entity, '', limit),
    async [Symbol.asyncDispose]() {
      database.close()
    },
  } satisfies RawClient
}

function valuesOf({ entity, key, seq, rec, updatedAtMs, expiresAtMs }: RowWrite) {
  return [entity, key, seq, rec, updatedAtMs, expiresAtMs ?? null] as const
}
