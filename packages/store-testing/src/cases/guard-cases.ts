import type { Guard, RowWrite } from '@keepsake/core'
import { casesOf, type CaseContext, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectResults, expectRows } from '../expect.ts'
import { put, shown } from './rows.ts'

/** `rec` '' is a tombstone. A number as outcome is `stale` with that seq. */
export interface GuardLine {
  guard: Guard
  seq: number
  rec: string
  outcome: 'applied' | number
}

const line = (guard: Guard, seq: number, rec: string, outcome: 'applied' | number): GuardLine => ({
  guard,
  seq,
  rec,
  outcome,
})

const overNothing: readonly GuardLine[] = [
  line('monotonic', 0, 'A', 'applied'),
  line('monotonic', 5, 'A', 'applied'),
  line('monotonic', 5, '', 'applied'),
  line('absent', 0, 'A', 'applied'),
  line('absent', 5, 'A', 'applied'),
  line('absent', 5, '', 'applied'),
  line({ seq: 0 }, 1, 'A', -1),
  line({ seq: 5 }, 6, 'A', -1),
  line({ seq: 5 }, 6, '', -1),
]

/** Over the row at seq 5 with rec 'A'. */
export const overRow: readonly GuardLine[] = [
  line('monotonic', 0, 'B', 5),
  line('monotonic', 4, 'A', 5),
  line('monotonic', 4, 'B', 5),
  line('monotonic', 4, '', 5),
  line('monotonic', 5, 'A', 'applied'),
  line('monotonic', 5, 'B', 'applied'),
  line('monotonic', 5, '', 'applied'),
  line('monotonic', 6, 'A', 'applied'),
  line('monotonic', 6, 'B', 'applied'),
  line('monotonic', 6, '', 'applied'),
  line('monotonic', 5000, 'B', 'applied'),
  line('absent', 4, 'A', 5),
  line('absent', 4, 'B', 5),
  line('absent', 5, 'A', 'applied'),
  line('absent', 5, 'B', 5),
  line('absent', 5, '', 5),
  line('absent', 6, 'A', 5),
  line('absent', 6, 'B', 5),
  line('absent', 6, '', 5),
  line({ seq: 5 }, 6, 'A', 'applied'),
  line({ seq: 5 }, 6, 'B', 'applied'),
  line({ seq: 5 }, 6, '', 'applied'),
  line({ seq: 5 }, 5000, 'B', 'applied'),
  line({ seq: 4 }, 5, 'A', 'applied'),
  line({ seq: 4 }, 5, 'B', 5),
  line({ seq: 4 }, 5, '', 5),
  line({ seq: 4 }, 6, 'A', 5),
  line({ seq: 4 }, 6, 'B', 5),
  line({ seq: 0 }, 5, 'A', 'applied'),
  line({ seq: 0 }, 5, 'B', 5),
  line({ seq: 3 }, 4, 'A', 5),
  line({ seq: 6 }, 7, 'A', 5),
  line({ seq: 6 }, 7, 'B', 5),
]

/** Over the tombstone at seq 5. */
const overTombstone: readonly GuardLine[] = [
  line('monotonic', 4, 'A', 5),
  line('monotonic', 4, '', 5),
  line('monotonic', 5, '', 'applied'),
  line('monotonic', 5, 'A', 'applied'),
  line('monotonic', 6, 'A', 'applied'),
  line('monotonic', 6, '', 'applied'),
  line('absent', 4, 'A', 5),
  line('absent', 5, 'A', 5),
  line('absent', 5, '', 'applied'),
  line('absent', 6, 'A', 5),
  line('absent', 6, '', 5),
  line({ seq: 5 }, 6, 'A', 'applied'),
  line({ seq: 5 }, 6, '', 'applied'),
  line({ seq: 4 }, 5, '', 'applied'),
  line({ seq: 4 }, 5, 'A', 5),
  line({ seq: 4 }, 6, 'A', 5),
  line({ seq: 6 }, 7, 'A', 5),
]

const stored = (entity: string, rec: string): RowWrite => put(entity, 'k', 5, rec)

const tables = [
  { over: 'nothing', lines: overNothing, before: () => undefined },
  { over: 'a row at 5', lines: overRow, before: (entity: string) => stored(entity, 'A') },
  { over: 'a tombstone at 5', lines: overTombstone, before: (entity: string) => stored(entity, '') },
] as const

export const guardCases: RowStoreCase[] = casesOf('guards', [
  ...tables.flatMap(({ over, lines, before }) =>
    lines.flatMap((l): CaseEntry[] => [
      [`over ${over}, ${shownLine(l)}`, (c) => decidesAlone(c, l, before(c.entity()))],
      [`over ${over}, in a batch, ${shownLine(l)}`, (c) => decidesInBatch(c, l, before(c.entity()))],
    ]),
  ),
  [
    'every line of the tables in one call',
    async ({ store, entity }) => {
      const cells = tables.flatMap(({ lines, before }, t) =>
        lines.map((l, i) => ({ line: l, before: before(entity()), key: `${t}/${i}` })),
      )
      const present = cells.flatMap(({ before, key }) => (before === undefined ? [] : [{ ...before, key }]))
      await store.write(present)
      const writes = cells.map(({ line: l, key }) => put(entity(), key, l.seq, l.rec, { guard: l.guard }))
      expectResults(
        await store.write(writes),
        cells.map((cell) => cell.line.outcome),
      )
      const after = cells.map(({ line: l, before, key }, i) =>
        l.outcome === 'applied' ? writes[i] : before && { ...before, key },
      )
      expectRows(await store.load(writes), after)
    },
  ],
  [
    'no guard is monotonic',
    async ({ store, entity }) => {
      expectResults(await store.write([put(entity(), 'k', 5, 'A')]), ['applied'])
      expectResults(await store.write([put(entity(), 'k', 4, 'B')]), [5])
      expectResults(await store.write([put(entity(), 'k', 5, 'C')]), ['applied'])
      expectRows(await store.load([{ entity: entity(), key: 'k' }]), [put(entity(), 'k', 5, 'C')])
    },
  ],
  [
    'a record that begins like the stored one, or is its beginning, is another write',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 5, 'abc')])
      for (const rec of ['ab', 'abcd', 'abC', 'abc\0', 'abc ']) {
        expectResults(await store.write([put(entity(), 'k', 5, rec, { guard: 'absent' })]), [5], shown(rec))
        expectResults(await store.write([put(entity(), 'k', 5, rec, { guard: { seq: 4 } })]), [5], shown(rec))
      }
      expectRows(await store.load([{ entity: entity(), key: 'k' }]), [put(entity(), 'k', 5, 'abc')])
    },
  ],
  [
    'this very write is recognised by seq and record alone, whatever its times',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 5, 'A', { updatedAtMs: 1 })])
      const again = put(entity(), 'k', 5, 'A', { updatedAtMs: 2, expiresAtMs: 4_000_000_000_000 })
      expectResults(await store.write([{ ...again, guard: 'absent' }]), ['applied'])
      expectResults(await store.write([{ ...again, guard: { seq: 4 } }]), ['applied'])
    },
  ],
  [
    'a chain of compare-and-set follows the stored seq',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 0, 'v0', { guard: 'absent' })])
      let seq = 0
      for (const next of [1, 2, 10, 4096, 2 ** 31, 2 ** 32 + 1, 2 ** 52 + 1]) {
        expectResults(await store.write([put(entity(), 'k', next, 'v', { guard: { seq } })]), ['applied'])
        if (seq > 0) expectResults(await store.write([put(entity(), 'k', next + 1, 'x', { guard: { seq } })]), [next])
        seq = next
      }
    },
  ],
])

async function decidesAlone(c: CaseContext, l: GuardLine, before: RowWrite | undefined): Promise<void> {
  if (before !== undefined) await c.store.write([before])
  const write = put(c.entity(), 'k', l.seq, l.rec, { guard: l.guard })
  expectResults(await c.store.write([write]), [l.outcome])
  expectRows(await c.store.load([write]), [l.outcome === 'applied' ? write : before])
}

async function decidesInBatch(c: CaseContext, l: GuardLine, before: RowWrite | undefined): Promise<void> {
  const e = c.entity()
  await c.store.write([...(before === undefined ? [] : [before]), put(e, 'cas', 1, 'x'), put(e, 'claimed', 1, 'x')])
  const write = put(e, 'k', l.seq, l.rec, { guard: l.guard })
  const batch = [
    put(e, 'blind', 3, 'y'),
    put(e, 'claimed', 2, 'y', { guard: 'absent' }),
    write,
    put(e, 'new', 2, 'y', { guard: 'absent' }),
    put(e, 'cas', 2, 'y', { guard: { seq: 1 } }),
  ]
  expectResults(await c.store.write(batch), ['applied', 1, l.outcome, 'applied', 'applied'])
  const kept = [batch[0], put(e, 'claimed', 1, 'x'), l.outcome === 'applied' ? write : before, batch[3], batch[4]]
  expectRows(await c.store.load(batch), kept)
}

export function shownLine({ guard, seq, rec, outcome }: GuardLine): string {
  const kind = typeof guard === 'string' ? guard : `{ seq: ${guard.seq} }`
  const what = rec === '' ? 'tombstone' : `record ${rec}`
  return `${kind} with seq ${seq} and ${what} is ${outcome === 'applied' ? outcome : `stale ${outcome}`}`
}
