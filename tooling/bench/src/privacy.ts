import { randomBytes } from 'node:crypto'
import type { RowStore, RowWrite } from '@keepsake/core'
import { inMemoryStore } from '@keepsake/core'
import { encrypted, keyring, subjectKeys } from '@keepsake/privacy/encryption'
import { postgresStore } from '@keepsake/store-sql/postgres'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { micros, type Line } from './line.ts'
import { compare, type Pair, type Sizes } from './measure.ts'
import { tempFolder } from './temp-folder.ts'

/** An encrypted batch may take at most so many times a plain one. */
const GOAL = 1.3
const BATCH = 100
const BYTES = 4096
/** PostgreSQL would keep what repeats in less room, and what is encrypted never repeats. */
const RANDOM = new Uint8Array(randomBytes(BYTES + 251))
const NOW_MS = 1_800_000_000_000

/** A batch of 100 rows of 4 KiB, encrypted beside plain, on the same store and at equal durability. */
export async function benchPrivacy(sizes: Sizes = { rounds: 60, operations: 2 }): Promise<Line[]> {
  using folder = tempFolder()
  const url = process.env['KEEPSAKE_POSTGRES_URL']
  const subjects: [name: string, open: (part: string) => RowStore][] = [
    ['SQLite', (part) => sqliteStore({ path: folder.file(`${part}.db`) })],
  ]
  if (url === undefined) console.error('PostgreSQL is left out: KEEPSAKE_POSTGRES_URL is not set.')
  else subjects.push(['PostgreSQL', (part) => postgresStore({ url, table: `keepsake_bench_${part}` })])

  const lines: Line[] = []
  for (const [name, open] of subjects) {
    const plain = open('plain')
    const inner = open('encrypted')
    const keys = subjectKeys({ store: inMemoryStore(), wrapping: keyring([['bench', new Uint8Array(32).fill(1)]]) })
    const store = encrypted(inner, { keys })
    try {
      for (const each of [plain, inner]) await each.provision()
      const pairs: [what: string, pair: Pair][] = [
        ['write of 100', { base: (turn) => plain.write(batch(turn)), ours: (turn) => store.write(batch(turn)) }],
        ['load of 100', { base: (turn) => plain.load(batch(turn)), ours: (turn) => store.load(batch(turn)) }],
      ]
      for (const [what, pair] of pairs) {
        const { baseMicros, oursMicros, ratio } = await compare(pair, sizes)
        lines.push({
          what: `${name}, ${what} of ${BYTES} B, encrypted to plain`,
          base: micros(baseMicros),
          ours: micros(oursMicros),
          ratio,
          ...(what.startsWith('write') && { goal: GOAL }),
        })
      }
    } finally {
      for (const each of [plain, inner]) {
        await each.provision({ down: true })
        await each.close()
      }
    }
  }
  return lines
}

function batch(turn: number): RowWrite[] {
  return Array.from({ length: BATCH }, (_, i) => ({
    entity: `thread-${turn % 10}`,
    key: `message-${i}`,
    seq: turn + 1,
    rec: RANDOM.subarray((turn + i) % 251, BYTES + ((turn + i) % 251)),
    updatedAtMs: NOW_MS,
  }))
}
