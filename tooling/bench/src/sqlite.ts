import { DatabaseSync } from 'node:sqlite'
import type { RowId, RowWrite } from '@keepsake/core'
import { sqliteMigrations, sqliteStore } from '@keepsake/store-sql/sqlite'
import { micros, type Line } from './line.ts'
import { compare, type Comparison, type Pair, type Sizes } from './measure.ts'
import { tempFolder } from './temp-folder.ts'

/** Ours may take at most so many times what the same statements take on bare node:sqlite. */
const GOAL = 1.25

export interface SqliteSizes extends Sizes {
  /** Rows in the table before anything is measured. */
  rows: number
}

/** The statements that the store runs, for the bare client to run as well. */
export const STATEMENTS = {
  write:
    'insert into "keepsake_rows" ("entity_key", "key", "seq", "rec", "updated_at_ms", "expires_at_ms") values (?, ?, ?, ?, ?, ?) on conflict ("entity_key", "key") do update set "seq" = "excluded"."seq", "rec" = "excluded"."rec", "updated_at_ms" = "excluded"."updated_at_ms", "expires_at_ms" = "excluded"."expires_at_ms" where "keepsake_rows"."seq" <= "excluded"."seq"',
  load: 'select "key", "seq", "rec", "updated_at_ms", "expires_at_ms" from "keepsake_rows" where "entity_key" = ? and "key" = ?',
  scan: 'select "key", "seq", "rec", "updated_at_ms", "expires_at_ms" from "keepsake_rows" where "entity_key" = ? and "key" >= ? order by "key" limit ?',
} as const

const DURABILITIES = { power: 'FULL', process: 'NORMAL' } as const
const ENTITIES = 20
const REC = new Uint8Array(200).fill(7)
const BATCH = 100
const SCAN_ROWS = 100
const NOW_MS = 1_800_000_000_000

/** The store beside bare node:sqlite: the same statements on files of the same content, at equal durability. */
export async function benchSqlite(sizes: SqliteSizes = { rows: 20_000, rounds: 200, operations: 50 }): Promise<Line[]> {
  const lines: Line[] = []
  for (const durability of ['power', 'process'] as const) {
    for (const [what, comparison] of await compareAt(durability, sizes)) {
      lines.push({
        what: `${what}, synchronous = ${DURABILITIES[durability]}`,
        base: micros(comparison.baseMicros),
        ours: micros(comparison.oursMicros),
        ratio: comparison.ratio,
        goal: GOAL,
      })
    }
  }
  return lines
}

async function compareAt(durability: keyof typeof DURABILITIES, sizes: SqliteSizes): Promise<[string, Comparison][]> {
  using folder = tempFolder()
  await using store = sqliteStore({ path: folder.file('ours.db'), durability })
  using database = new DatabaseSync(folder.file('bare.db'))
  const bare = bareClient(database, durability)

  const filling = Array.from({ length: sizes.rows }, (_, i) => rowOf(i, 0))
  await store.write(filling)
  bare.writeBatch(filling)

  const row = (turn: number): RowWrite => rowOf((turn * 7) % sizes.rows, turn + 1)
  const rows = (turn: number): RowWrite[] => Array.from({ length: BATCH }, (_, i) => row(turn * BATCH + i))
  const few = { ...sizes, operations: Math.ceil(sizes.operations / 10) }
  const writes = durability === 'power' ? few : sizes
  const pairs: readonly [what: string, pair: Pair, sizes: Sizes][] = [
    ['write of 1', { base: (turn) => bare.write(row(turn)), ours: (turn) => store.write([row(turn)]) }, writes],
    [
      `write of ${BATCH}`,
      { base: (turn) => bare.writeBatch(rows(turn)), ours: (turn) => store.write(rows(turn)) },
      few,
    ],
    ['load of 1', { base: (turn) => bare.load(row(turn)), ours: (turn) => store.load([row(turn)]) }, sizes],
    [
      `scan of ${SCAN_ROWS}`,
      {
        base: (turn) => bare.scan(row(turn).entity, SCAN_ROWS),
        ours: (turn) => store.scan(row(turn).entity, { limit: SCAN_ROWS }),
      },
      few,
    ],
  ]
  const comparisons: [string, Comparison][] = []
  for (const [what, pair, sizesOfPair] of pairs) comparisons.push([what, await compare(pair, sizesOfPair)])
  return comparisons
}

/** What a careful program does by hand: one connection, prepared statements, a transaction for a batch. */
function bareClient(database: DatabaseSync, durability: keyof typeof DURABILITIES) {
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${DURABILITIES[durability]}`)
  for (const sql of sqliteMigrations().flatMap(({ up }) => up)) database.exec(sql)
  const write = database.prepare(STATEMENTS.write)
  const load = database.prepare(STATEMENTS.load)
  const scan = database.prepare(STATEMENTS.scan)
  const writeRow = ({ entity, key, seq, rec, updatedAtMs }: RowWrite): boolean =>
    write.run(entity, key, seq, rec, updatedAtMs, null).changes === 1
  return {
    write: writeRow,
    writeBatch(rows: readonly RowWrite[]): void {
      database.exec('BEGIN IMMEDIATE')
      for (const row of rows) writeRow(row)
      database.exec('COMMIT')
    },
    load: ({ entity, key }: RowId) => load.get(entity, key),
    scan: (entity: string, limit: number) => scan.all(entity, '', limit),
  }
}

function rowOf(index: number, seq: number): RowWrite {
  return {
    entity: `thread-${index % ENTITIES}`,
    key: `message-${String(index).padStart(10, '0')}`,
    seq,
    rec: REC,
    updatedAtMs: NOW_MS,
  }
}
