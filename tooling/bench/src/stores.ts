import type { RowStore, RowWrite } from '@keepsake/core'
import { answers } from './answers.ts'
import { compareLatencies } from './latencies.ts'
import { micros, type Line } from './line.ts'
import type { Pair, Sizes } from './measure.ts'
import { ownName } from './own-name.ts'
import type { RawClient } from './raw-client.ts'
import { subjects, type Subject } from './subjects.ts'
import { tempFolder } from './temp-folder.ts'

export interface StoreSizes extends Sizes {
  /** Rows in each table before anything is measured; of an emulator a fifth, and of rounds a quarter. */
  rows: number
}

/** 0.8 of the speed of the raw client, as the time that ours may take. */
const GOAL = 1 / 0.8
const ENTITIES = 20
const MANY = 100
const NOW_MS = 1_800_000_000_000

/** Each store beside its raw client, where the server runs. */
export async function benchStores(
  sizes: StoreSizes = { rows: 10_000, rounds: 50, operations: 20 },
  which: readonly Subject[] = subjects,
): Promise<Line[]> {
  const lines: Line[] = []
  for (const subject of which) {
    if (subject.server !== undefined && !(await answers(subject.server))) {
      lines.push({ what: subject.name, base: `nobody at ${subject.server}`, ours: 'skipped' })
      continue
    }
    for (const bytes of [200, 4096]) lines.push(...(await benchStore(subject, bytes, sizes)))
  }
  return lines
}

async function benchStore(
  { name, open, raw, isSlow = false }: Subject,
  bytes: number,
  allSizes: StoreSizes,
): Promise<Line[]> {
  const sizes = isSlow ? fewer(allSizes) : allSizes
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(tempFolder())
  const store = stack.use(open(ownName('ours'), folder))
  stack.defer(() => store.provision({ down: true }))
  await store.provision()
  const client = stack.use(await raw(ownName('raw'), folder))

  const work = workOn(bytes, sizes.rows)
  for (const rows of work.filling()) {
    await store.write(rows)
    await client.writeBatch(rows)
  }

  const lines: Line[] = []
  for (const [what, pair] of pairsOf(store, client, work)) {
    const few = what.endsWith('1') ? sizes : { ...sizes, operations: Math.ceil(sizes.operations / 4) }
    const { base, ours } = await compareLatencies(pair, few)
    const of = (p: 'p50Micros' | 'p95Micros') => ({
      base: micros(base[p]),
      ours: micros(ours[p]),
      ratio: ours[p] / base[p],
    })
    lines.push({ what: `${name}, ${bytes} B: ${what}, p50`, ...of('p50Micros'), goal: GOAL })
    lines.push({ what: `${name}, ${bytes} B: ${what}, p95`, ...of('p95Micros') })
  }
  return lines
}

/** Each entity keeps as many rows as are loaded and scanned at a time. */
function fewer({ rows, rounds, operations }: StoreSizes): StoreSizes {
  return { rows: Math.max(ENTITIES * MANY, rows / 5), rounds: Math.ceil(rounds / 4), operations }
}

type Work = ReturnType<typeof workOn>

function pairsOf(store: RowStore, client: RawClient, work: Work): [what: string, Pair][] {
  return [
    ['write over 1', { base: (turn) => client.write(work.row(turn)), ours: (turn) => store.write([work.row(turn)]) }],
    [
      'write of a new 1',
      { base: (turn) => client.write(work.fresh(turn)), ours: (turn) => store.write([work.fresh(turn)]) },
    ],
    [
      'claim of a new 1',
      {
        base: (turn) => client.claim(work.fresh(turn)),
        ours: (turn) => store.write([{ ...work.fresh(turn), guard: 'absent' }]),
      },
    ],
    [
      `write over ${MANY}`,
      { base: (turn) => client.writeBatch(work.many(turn)), ours: (turn) => store.write(work.many(turn)) },
    ],
    ['load of 1', { base: (turn) => client.load(work.row(turn)), ours: (turn) => store.load([work.row(turn)]) }],
    [
      `load of ${MANY}`,
      { base: (turn) => client.loadMany(work.many(turn)), ours: (turn) => store.load(work.many(turn)) },
    ],
    [
      `scan of ${MANY}`,
      {
        base: (turn) => client.scan(work.scanned(turn), MANY),
        ours: (turn) => store.scan(work.scanned(turn), { limit: MANY }),
      },
    ],
  ]
}

/** Rows of so many bytes, spread over entities. */
function workOn(bytes: number, rows: number) {
  const inEntity = Math.floor(rows / ENTITIES)
  // Every write is newer than what is stored.
  let newest = 0
  const rec = Uint8Array.from({ length: bytes }, (_, i) => (i * 31 + (i >> 3)) % 256)
  const rowAt = (entity: number, place: number, version: number): RowWrite => ({
    entity: `thread-${entity % ENTITIES}`,
    key: `message-${String(place % inEntity).padStart(10, '0')}`,
    seq: version,
    rec,
    updatedAtMs: NOW_MS,
  })
  return {
    /** All rows, in batches of one entity in the order of keys, which leaves the same pages whoever sorts. */
    *filling() {
      for (let at = 0; at < inEntity * ENTITIES; at += MANY) {
        yield Array.from({ length: MANY }, (_, i) => rowAt(Math.floor(at / inEntity), (at % inEntity) + i, newest))
      }
    },
    /** A row that is not there, beyond those that are scanned, in an entity that is. */
    fresh: (turn: number): RowWrite => ({ ...rowAt(turn, 0, ++newest), key: `new-${newest}` }),
    row: (turn: number) => rowAt(turn, turn * 7, ++newest),
    /** Rows of one entity. */
    many: (turn: number) => {
      newest++
      return Array.from({ length: MANY }, (_, i) => rowAt(turn, turn * 7 + i, newest))
    },
    scanned: (turn: number) => `thread-${turn % ENTITIES}`,
  }
}
