import type { RowWrite } from '@keepsake/core'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { micros, type Line } from './line.ts'
import { compare, type Comparison, type Pair, type Sizes } from './measure.ts'
import { DURABILITIES, rawSqlite } from './raw-sqlite.ts'
import { tempFolder } from './temp-folder.ts'

/** Ours may take at most so many times what the same statements take on bare node:sqlite. */
const GOAL = 1.25

export interface SqliteSizes extends Sizes {
  /** Rows in the table before anything is measured. */
  rows: number
}

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
  await using bare = rawSqlite(folder.file('bare.db'), durability)

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

function rowOf(index: number, seq: number): RowWrite {
  return {
    entity: `thread-${index % ENTITIES}`,
    key: `message-${String(index).padStart(10, '0')}`,
    seq,
    rec: REC,
    updatedAtMs: NOW_MS,
  }
}
