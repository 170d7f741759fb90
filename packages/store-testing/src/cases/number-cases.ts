import { MAX_SEQ, type RowWrite } from '@keepsake/core'
import { casesOf, type CaseContext, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectResults, expectRows } from '../expect.ts'
import { put } from './rows.ts'

/** Where 32-bit integers, floats and doubles end, and where texts sort wrongly. */
const seqs = [0, 1, 9, 10, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 52 + 1, MAX_SEQ - 1, MAX_SEQ]
const times = [0, 1, 2 ** 31, 2 ** 32, 1_700_000_000_000, 253_402_300_800_000, Number.MAX_SAFE_INTEGER]
const LATER_MS = 4_000_000_000_000

export const numberCases: RowStoreCase[] = casesOf('seqs and times', [
  ...seqs.map((seq): CaseEntry => [`seq ${seq} is kept, compared and expected exactly`, (c) => seqIsExact(c, seq)]),
  ...times.map((ms): CaseEntry => [`updatedAtMs ${ms} is read back`, (c) => readBack(c, { updatedAtMs: ms })]),
  ...times.map((ms): CaseEntry => [
    `expiresAtMs ${ms} is read back`,
    // Where the backend removes expired rows, one that expires in the past may be gone.
    (c) => readBack(c, { expiresAtMs: ms }, ms < LATER_MS),
  ]),
  [
    'both times are read back, each as its own, by load and scan',
    async ({ store, entity }) => {
      const row = put(entity(), 'k', 1, 'x', { updatedAtMs: 1_111_111_111_111, expiresAtMs: LATER_MS + 1 })
      await store.write([row])
      expectRows(await store.load([row]), [row], 'load')
      expectRows(await store.scan(entity(), { limit: 9 }), [row], 'scan')
    },
  ],
  [
    'a row without expiry is read back without one',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 1, 'x'), put(entity(), 'l', 1, 'x', { expiresAtMs: undefined })])
      const rows = await store.scan(entity(), { limit: 9 })
      expectEqual(
        rows.map((row) => row.expiresAtMs === undefined),
        [true, true],
        'no expiry',
      )
    },
  ],
  [
    'updatedAtMs is as the last writer says, also when it goes back',
    (c) => rewritten(c, { updatedAtMs: 2_000 }, { updatedAtMs: 1_000 }),
  ],
  ['a later write without expiry clears it', (c) => rewritten(c, { expiresAtMs: LATER_MS }, {})],
  ['a later write with expiry sets it', (c) => rewritten(c, {}, { expiresAtMs: LATER_MS })],
  ['a later write brings expiry nearer', (c) => rewritten(c, { expiresAtMs: LATER_MS + 9 }, { expiresAtMs: LATER_MS })],
  ['a later write puts expiry off', (c) => rewritten(c, { expiresAtMs: LATER_MS }, { expiresAtMs: LATER_MS + 9 })],
  [
    'a stale write changes no time',
    async ({ store, entity }) => {
      const row = put(entity(), 'k', 5, 'x', { updatedAtMs: 1_000, expiresAtMs: LATER_MS })
      await store.write([row])
      const late = put(entity(), 'k', 4, 'x', { updatedAtMs: 9_000, expiresAtMs: LATER_MS + 9 })
      expectResults(await store.write([late, { ...late, guard: 'absent' }, { ...late, guard: { seq: 3 } }]), [5, 5, 5])
      expectRows(await store.load([row]), [row])
    },
  ],
  [
    'a row that expires is guarded as any other',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 5, 'x', { expiresAtMs: LATER_MS })])
      expectResults(await store.write([put(entity(), 'k', 4, 'y')]), [5])
      expectResults(await store.write([put(entity(), 'k', 6, 'y', { guard: 'absent' })]), [5])
      expectResults(await store.write([put(entity(), 'k', 6, 'y', { guard: { seq: 5 } })]), ['applied'])
    },
  ],
])

async function seqIsExact({ store, entity }: CaseContext, seq: number): Promise<void> {
  const row = put(entity(), 'k', seq, 'x')
  expectResults(await store.write([row]), ['applied'])
  expectRows(await store.load([row]), [row], 'load')
  expectRows(await store.scan(entity(), { limit: 9 }), [row], 'scan')
  if (seq > 0) expectResults(await store.write([put(entity(), 'k', seq - 1, 'older')]), [seq], 'an older write')
  expectResults(await store.write([put(entity(), 'k', seq, 'other', { guard: 'absent' })]), [seq], 'a claim')
  expectResults(await store.write([row]), ['applied'], 'a repeat')
  if (seq < MAX_SEQ) {
    expectResults(await store.write([put(entity(), 'k', seq + 1, 'next', { guard: { seq } })]), ['applied'], 'the next')
    expectEqual(await store.remove([{ entity: entity(), key: 'k', seq }]), 0, 'remove of the older')
    expectEqual(await store.remove([{ entity: entity(), key: 'k', seq: seq + 1 }]), 1, 'remove')
  }
}

async function readBack({ store, entity }: CaseContext, more: Partial<RowWrite>, mayBeGone = false): Promise<void> {
  const row = put(entity(), 'k', 1, 'x', more)
  expectResults(await store.write([row]), ['applied'])
  const [loaded] = await store.load([row])
  if (loaded !== undefined || !mayBeGone) expectRows([loaded], [row], 'load')
  const scanned = await store.scan(entity(), { limit: 9 })
  if (scanned.length > 0 || !mayBeGone) expectRows(scanned, [row], 'scan')
}

async function rewritten(c: CaseContext, before: Partial<RowWrite>, after: Partial<RowWrite>): Promise<void> {
  const { store, entity } = c
  const lines = [
    { key: 'monotonic', guard: 'monotonic' },
    { key: 'equal seq', guard: 'monotonic', seq: 1 },
    { key: 'expected', guard: { seq: 1 } },
  ] as const
  await store.write(lines.map(({ key }) => put(entity(), key, 1, 'before', before)))
  const rows = lines.map((l) => put(entity(), l.key, 'seq' in l ? l.seq : 2, 'after', { ...after, guard: l.guard }))
  expectResults(await store.write(rows), ['applied', 'applied', 'applied'])
  expectRows(await store.load(rows), rows)
}
