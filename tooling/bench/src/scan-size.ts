import type { RowStore, RowWrite } from '@keepsake/core'
import { answers } from './answers.ts'
import { compareLatencies } from './latencies.ts'
import { micros, type Line } from './line.ts'
import type { Sizes } from './measure.ts'
import { ownName } from './own-name.ts'
import { subjects } from './subjects.ts'
import { tempFolder } from './temp-folder.ts'

export interface ScanSizes extends Sizes {
  /** Rows of the small place and of the large one, all of one entity. */
  few: number
  many: number
}

const ENTITY = 'thread'
const SCAN_ROWS = 100
const ROWS_OF_A_PREFIX = 200
const BATCH = 1000
/** Batches that are written side by side while a place is filled. */
const LANES = 4
const REC = new Uint8Array(50).fill(7)
/** How much more time a large place may take: the index is deeper, and other pages are cold. */
const GOAL = 1.25
const STORES: ReadonlySet<string> = new Set(['SQLite', 'PostgreSQL', 'Redis'])

/** A scan of 100 rows under a prefix, among a million rows beside the same among a thousand. */
export async function benchScanSize(
  sizes: ScanSizes = { few: 1000, many: 1_000_000, rounds: 100, operations: 10 },
): Promise<Line[]> {
  using folder = tempFolder()
  const lines: Line[] = []
  for (const { name, server, open } of subjects.filter((subject) => STORES.has(subject.name))) {
    if (server === undefined || (await answers(server))) {
      lines.push(await compareSizes(name, (table) => open(table, folder), sizes))
    } else {
      lines.push({ what: name, base: `nobody at ${server}`, ours: 'skipped' })
    }
  }
  return lines
}

async function compareSizes(name: string, open: (table: string) => RowStore, sizes: ScanSizes): Promise<Line> {
  await using stack = new AsyncDisposableStack()
  const [few, many] = await Promise.all(
    [sizes.few, sizes.many].map(async (rows, i) => {
      const store = stack.use(open(ownName(`scan_${i}`)))
      stack.defer(() => store.provision({ down: true }))
      await store.provision()
      await fill(store, rows)
      return store
    }),
  )
  const scan = async (store: RowStore, rows: number, turn: number): Promise<void> => {
    // Far from the last one, so that every scan finds other pages.
    const prefix = prefixOf((turn * 7919 * ROWS_OF_A_PREFIX) % rows)
    const found = await store.scan(ENTITY, { prefix, limit: SCAN_ROWS })
    if (found.length !== SCAN_ROWS) throw new Error(`${name}: ${found.length} rows under ${prefix}`)
  }
  const { base, ours } = await compareLatencies(
    { base: (turn) => scan(few!, sizes.few, turn), ours: (turn) => scan(many!, sizes.many, turn) },
    sizes,
  )
  return {
    what: `${name}: scan of ${SCAN_ROWS} under a prefix, of ${sizes.many} rows beside ${sizes.few}, p50`,
    base: micros(base.p50Micros),
    ours: micros(ours.p50Micros),
    ratio: ours.p50Micros / base.p50Micros,
    goal: GOAL,
  }
}

async function fill(store: RowStore, rows: number): Promise<void> {
  const starts = Array.from({ length: Math.ceil(rows / BATCH) }, (_, i) => i * BATCH).values()
  async function lane(): Promise<void> {
    for (const start of starts) {
      await store.write(Array.from({ length: Math.min(BATCH, rows - start) }, (_, i) => rowAt(start + i)))
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

function rowAt(index: number): RowWrite {
  const key = `${prefixOf(index)}${String(index % ROWS_OF_A_PREFIX).padStart(4, '0')}`
  return { entity: ENTITY, key, seq: 1, rec: REC, updatedAtMs: 1_800_000_000_000 }
}

function prefixOf(index: number): string {
  return `topic-${String(Math.floor(index / ROWS_OF_A_PREFIX)).padStart(6, '0')}/`
}
