import type { RowWrite } from '@keepsake/core'
import { casesOf, type CaseContext, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectResults, expectRows } from '../expect.ts'
import { keysOf, numberedKeys, put } from './rows.ts'

type Step = readonly [guard: NonNullable<RowWrite['guard']>, seq: number, rec: string]

/** Writes of one key in one call, their outcomes, and which of them stays. */
const sameKeyLines: readonly (readonly [
  what: string,
  steps: readonly Step[],
  outcomes: readonly ('applied' | number)[],
  stays: number,
])[] = [
  [
    'rising seqs',
    [
      ['monotonic', 1, 'a'],
      ['monotonic', 2, 'b'],
      ['monotonic', 3, 'c'],
    ],
    ['applied', 'applied', 'applied'],
    2,
  ],
  [
    'falling seqs',
    [
      ['monotonic', 3, 'c'],
      ['monotonic', 2, 'b'],
      ['monotonic', 1, 'a'],
    ],
    ['applied', 3, 3],
    0,
  ],
  [
    'seqs up and down',
    [
      ['monotonic', 1, 'a'],
      ['monotonic', 3, 'c'],
      ['monotonic', 2, 'b'],
    ],
    ['applied', 'applied', 3],
    1,
  ],
  [
    'equal seqs',
    [
      ['monotonic', 1, 'a'],
      ['monotonic', 1, 'b'],
      ['monotonic', 1, 'c'],
    ],
    ['applied', 'applied', 'applied'],
    2,
  ],
  [
    'two claims',
    [
      ['absent', 1, 'a'],
      ['absent', 1, 'b'],
    ],
    ['applied', 1],
    0,
  ],
  [
    'one claim twice',
    [
      ['absent', 1, 'a'],
      ['absent', 1, 'a'],
    ],
    ['applied', 'applied'],
    1,
  ],
  [
    'claim, then compare-and-set',
    [
      ['absent', 1, 'a'],
      [{ seq: 1 }, 2, 'b'],
      [{ seq: 2 }, 3, 'c'],
    ],
    ['applied', 'applied', 'applied'],
    2,
  ],
  [
    'two of the same expectation',
    [
      ['absent', 1, 'a'],
      [{ seq: 1 }, 2, 'b'],
      [{ seq: 1 }, 3, 'c'],
    ],
    ['applied', 'applied', 2],
    1,
  ],
  [
    'compare-and-set too early',
    [
      [{ seq: 1 }, 2, 'b'],
      ['absent', 1, 'a'],
    ],
    [-1, 'applied'],
    1,
  ],
  [
    'claim after a blind write',
    [
      ['monotonic', 1, 'a'],
      ['absent', 2, 'b'],
    ],
    ['applied', 1],
    0,
  ],
  [
    'blind write over a claim',
    [
      ['absent', 2, 'b'],
      ['monotonic', 1, 'a'],
    ],
    ['applied', 2],
    0,
  ],
  [
    'removed and made again',
    [
      ['monotonic', 1, 'a'],
      ['monotonic', 2, ''],
      [{ seq: 2 }, 3, 'c'],
    ],
    ['applied', 'applied', 'applied'],
    2,
  ],
  [
    'removed, then its late duplicate',
    [
      ['monotonic', 1, 'a'],
      ['monotonic', 2, ''],
      ['monotonic', 1, 'a'],
    ],
    ['applied', 'applied', 2],
    1,
  ],
  [
    'tombstone, then claim',
    [
      ['monotonic', 1, ''],
      ['absent', 2, 'b'],
    ],
    ['applied', 1],
    0,
  ],
]

export const batchCases: RowStoreCase[] = casesOf('batches', [
  ...sameKeyLines.flatMap(([what, steps, outcomes, stays]): CaseEntry[] => [
    [`one key in one call: ${what}`, (c) => sameKey(c, steps, outcomes, stays, false)],
    [`one key in one call, among others: ${what}`, (c) => sameKey(c, steps, outcomes, stays, true)],
  ]),
  [
    'an empty call of write, load and remove does nothing',
    async ({ store }) => {
      expectEqual(await store.write([]), [], 'write')
      expectEqual(await store.load([]), [], 'load')
      expectEqual(await store.remove([]), 0, 'remove')
    },
  ],
  [
    'results are in the order of the rows',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'b', 7, 'x'), put(entity(), 'd', 9, 'x')])
      const batch = ['e', 'd', 'c', 'b', 'a'].map((key) => put(entity(), key, 5, key))
      expectResults(await store.write(batch), ['applied', 9, 'applied', 7, 'applied'])
    },
  ],
  [
    'a stale row stops no other row',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'b', 9, 'kept')])
      const batch = ['a', 'b', 'c'].map((key) => put(entity(), key, 5, 'new'))
      expectResults(await store.write(batch), ['applied', 9, 'applied'])
      expectRows(await store.load(batch), [batch[0], put(entity(), 'b', 9, 'kept'), batch[2]])
    },
  ],
  [
    'the same key in two entities is two rows',
    async ({ store, entity }) => {
      const batch = [put(entity('a'), 'k', 2, 'a'), put(entity('b'), 'k', 1, 'b'), put(entity('a'), 'l', 1, 'c')]
      expectResults(await store.write(batch), ['applied', 'applied', 'applied'])
      expectRows(await store.load(batch), batch)
    },
  ],
  [
    'one call over 120 entities',
    async ({ store, entity }) => {
      const suffixes = numberedKeys(120, 'e')
      const batch = suffixes.map((suffix) => put(entity(suffix), 'k', 1, suffix, { guard: 'absent' }))
      expectResults(
        await store.write(batch),
        batch.map(() => 'applied' as const),
      )
      expectRows(await store.load(batch.toReversed()), batch.toReversed())
      const names = await store.entities({ prefix: entity(), limit: 200 })
      expectEqual(
        names,
        suffixes.map((suffix) => entity(suffix)),
        'entities',
      )
    },
  ],
  [
    'one call over several entities with a key repeated in each',
    async ({ store, entity }) => {
      const batch = [1, 2, 3].flatMap((seq) => ['a', 'b', 'c'].map((e) => put(entity(e), 'k', seq, `${e}${seq}`)))
      expectResults(
        await store.write(batch),
        batch.map(() => 'applied' as const),
      )
      expectRows(await store.load(batch.slice(0, 3)), batch.slice(6))
    },
  ],
  ['a call of as many rows as the limit', (c) => bigBatch(c, 0)],
  ['a call of one row more than the limit', (c) => bigBatch(c, 1)],
  ['a call of twice as many rows as the limit', (c) => bigBatch(c, batchRows(c))],
  [
    'a call longer than the limit decides repeated keys in order, across the cut',
    async (c) => {
      const count = batchRows(c)
      const filler = numberedKeys(count - 1).map((key) => put(c.entity(), key, 1, ''))
      const batch = [
        put(c.entity(), 'x', 1, 'a', { guard: 'absent' }),
        ...filler,
        put(c.entity(), 'x', 2, 'b', { guard: { seq: 1 } }),
        put(c.entity(), 'x', 1, 'late'),
      ]
      const results = await c.store.write(batch)
      expectResults([results[0]!, ...results.slice(-2)], ['applied', 'applied', 2])
      expectRows(await c.store.load([batch[0]!]), [batch[count]])
    },
  ],
  [
    'rows with and without expiry in one call keep their own',
    async ({ store, entity }) => {
      const batch = numberedKeys(10).map((key, i) =>
        put(entity(), key, i, key, i % 2 === 0 ? { expiresAtMs: 4_000_000_000_000 + i } : {}),
      )
      await store.write(batch)
      expectRows(await store.scan(entity(), { limit: 20 }), batch)
    },
  ],
])

async function sameKey(
  { store, entity }: CaseContext,
  steps: readonly Step[],
  outcomes: readonly ('applied' | number)[],
  stays: number,
  amongOthers: boolean,
): Promise<void> {
  const writes = steps.map(([guard, seq, rec]) => put(entity(), 'k', seq, rec, { guard }))
  const others = writes.map((write, i) => put(entity(), `other ${i}`, write.seq, 'x'))
  const batch = amongOthers ? writes.flatMap((write, i) => [write, others[i]!]) : writes
  const results = await store.write(batch)
  expectResults(
    results.filter((_, i) => batch[i]!.key === 'k'),
    outcomes,
  )
  expectRows(await store.load([writes[0]!]), [writes[stays]])
  if (amongOthers) expectRows(await store.load(others), others, 'the other rows')
}

/** The store's own limit, as far as a test can go. */
function batchRows({ store }: CaseContext): number {
  return Math.min(store.limits.maxBatchRows, 2000)
}

async function bigBatch(c: CaseContext, more: number): Promise<void> {
  const { store, entity } = c
  const keys = numberedKeys(batchRows(c) + more)
  const batch = keys.map((key) => put(entity(), key, 1, key))
  expectResults(
    await store.write(batch),
    keys.map(() => 'applied' as const),
  )
  expectEqual(keysOf(await store.scan(entity(), { limit: keys.length + 1 })), keys, 'keys of a scan')
  expectRows(await store.load(batch.toReversed()), batch.toReversed(), 'load')
  expectResults(
    await store.write(batch.map((row) => ({ ...row, seq: 0 }))),
    keys.map(() => 1),
    'older rows',
  )
  expectEqual(await store.remove(batch.slice(1)), keys.length - 1, 'remove')
  expectRows(await store.scan(entity(), { limit: 9 }), batch.slice(0, 1), 'the row that is left')
}
