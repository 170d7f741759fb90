import type { Guard, RowWrite, WriteResult } from '@keepsake/core'
import { casesOf, type CaseContext, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectResults, expectRows } from '../expect.ts'
import { together } from '../together.ts'
import { numberedKeys, put } from './rows.ts'

const WRITERS = 64

export const raceCases: RowStoreCase[] = casesOf('races', [
  [
    '64 writers with rising seqs: the highest is what stays',
    async (c) => {
      const [results, winners] = await race(c, (i) => put(c.entity(), 'k', i, `writer ${i}`))
      expectEqual(results[WRITERS - 1]!.status, 'applied', 'the highest')
      expectRows(await c.store.load([{ entity: c.entity(), key: 'k' }]), [winners.at(-1)])
      for (const result of results) if (result.status === 'stale') expectEqual(result.seq >= 0, true, 'a stored seq')
    },
  ],
  [
    '64 writers with falling seqs: the highest is what stays',
    async (c) => {
      const [results] = await race(c, (i) => put(c.entity(), 'k', WRITERS - i, `writer ${i}`))
      expectEqual(results[0]!.status, 'applied', 'the highest')
      expectRows(await c.store.load([{ entity: c.entity(), key: 'k' }]), [put(c.entity(), 'k', WRITERS, 'writer 0')])
    },
  ],
  [
    '64 writers of an absent row with different ids: exactly one is applied',
    (c) => oneWins(c, 5, (i) => put(c.entity(), 'k', 5, `claim ${i}`, { guard: 'absent' })),
  ],
  [
    '64 writers of an absent row with different seqs: exactly one is applied',
    async (c) => {
      const [results, winners] = await race(c, (i) => put(c.entity(), 'k', i, 'same', { guard: 'absent' }))
      expectEqual(winners.length, 1, 'how many were applied')
      for (const result of results)
        if (result.status === 'stale') expectEqual(result.seq, winners[0]!.seq, 'stored seq')
      expectRows(await c.store.load([{ entity: c.entity(), key: 'k' }]), winners)
    },
  ],
  [
    '64 repeats of one claim: all are applied, as one',
    (c) => allAreOne(c, put(c.entity(), 'k', 5, 'claim', { guard: 'absent' })),
  ],
  [
    '64 writers expect the same seq, with equal value and different write ids: exactly one is applied',
    async (c) => {
      await c.store.write([put(c.entity(), 'k', 1, 'before')])
      await oneWins(c, 2, (i) => put(c.entity(), 'k', 2, `value, by write ${i}`, { guard: { seq: 1 } }))
    },
  ],
  [
    'two writers expect the same seq, with equal value and different write ids: exactly one is applied',
    async (c) => {
      await c.store.write([put(c.entity(), 'k', 1, 'before')])
      const writes = ['by a', 'by b'].map((rec) => put(c.entity(), 'k', 2, rec, { guard: { seq: 1 } }))
      const results = (await together(writes.map((write) => c.store.write([write])))).flat()
      const winner = writes[results.findIndex((result) => result.status === 'applied')]
      expectResults(results, winner === writes[0] ? ['applied', 2] : [2, 'applied'])
      expectRows(await c.store.load([{ entity: c.entity(), key: 'k' }]), [winner])
    },
  ],
  [
    '64 repeats of one compare-and-set: all are applied, as one',
    async (c) => {
      await c.store.write([put(c.entity(), 'k', 1, 'before')])
      await allAreOne(c, put(c.entity(), 'k', 2, 'after', { guard: { seq: 1 } }))
    },
  ],
  [
    '64 writers create again over a tombstone: exactly one is applied',
    async (c) => {
      await c.store.write([put(c.entity(), 'k', 4, '')])
      await oneWins(c, 5, (i) => put(c.entity(), 'k', 5, `writer ${i}`, { guard: { seq: 4 } }))
    },
  ],
  [
    '64 writers expect a seq of a row that is not there: nobody is applied',
    async (c) => {
      const [results] = await race(c, (i) => put(c.entity(), 'k', 2, `writer ${i}`, { guard: { seq: 1 } }))
      expectResults(results, Array<number>(WRITERS).fill(-1))
      expectRows(await c.store.load([{ entity: c.entity(), key: 'k' }]), [undefined])
    },
  ],
  [
    'a counter of 16 writers with compare-and-set loses no step',
    async (c) => {
      await c.store.write([put(c.entity(), 'counter', 0, '0')])
      await together(Array.from({ length: 16 }, (_, writer) => countUp(c, writer, 4)))
      const [row] = await c.store.load([{ entity: c.entity(), key: 'counter' }])
      expectEqual(new TextDecoder().decode(row?.rec).split(' ')[0], '64', 'the counter')
      expectEqual(row?.seq, 64, 'its seq')
    },
  ],
  [
    '16 writers claim 16 of 64 keys each, overlapping: every key has one owner',
    async (c) => {
      const keys = numberedKeys(64)
      const claims = Array.from({ length: 16 }, (_, writer) =>
        keys
          .filter((_key, i) => (i * 7 + writer) % 4 === 0)
          .map((key) => put(c.entity(), key, 1, `owner ${writer}`, { guard: 'absent' })),
      )
      const results = await together(claims.map((batch) => c.store.write(batch)))
      const owners = claims.flatMap((batch, w) => batch.filter((_, i) => results[w]![i]!.status === 'applied'))
      expectRows(
        await c.store.scan(c.entity(), { limit: 100 }),
        owners.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
      )
    },
  ],
  [
    'batches over the same keys in opposite orders both end, and the higher seq stays',
    async (c) => {
      const keys = numberedKeys(40)
      const batch = (seq: number): RowWrite[] => keys.map((key) => put(c.entity(), key, seq, `seq ${seq}`))
      for (let round = 0; round < 5; round++) {
        const [low, high] = [batch(2 * round + 1), batch(2 * round + 2)]
        await together([c.store.write(low), c.store.write(high.toReversed())])
        expectRows(await c.store.scan(c.entity(), { limit: 100 }), high)
      }
    },
  ],
  [
    'a claim, a blind write and a compare-and-set meet: the outcome is one of some order',
    async (c) => {
      const guards: Guard[] = ['absent', 'monotonic', { seq: 1 }]
      const writes = guards.map((guard, i) => put(c.entity(), 'k', 1 + (i === 2 ? 1 : 0), `${i}`, { guard }))
      const results = (await together(writes.map((write) => c.store.write([write])))).flat()
      const [row] = await c.store.load([{ entity: c.entity(), key: 'k' }])
      const applied = writes.filter((_, i) => results[i]!.status === 'applied')
      // The highest seq that was applied is what stays; at equal seqs the blind write is never refused.
      expectEqual(row?.seq, Math.max(...applied.map((write) => write.seq)), 'stored seq')
      expectEqual(results[1]!.status, row?.seq === 1 ? 'applied' : results[1]!.status, 'the blind write')
    },
  ],
  [
    'a new entity that 64 writers create is listed once',
    async (c) => {
      await together(numberedKeys(WRITERS).map((key) => c.store.write([put(c.entity('new'), key, 1, key)])))
      expectEqual(await c.store.entities({ prefix: c.entity(), limit: 9 }), [c.entity('new')], 'entities')
      expectEqual((await c.store.scan(c.entity('new'), { limit: 100 })).length, WRITERS, 'rows')
    },
  ],
  [
    'a removal that names a seq never removes a newer row',
    async (c) => {
      for (let round = 0; round < 16; round++) {
        const id = { entity: c.entity(), key: `k${round}` }
        await c.store.write([put(id.entity, id.key, 1, 'old')])
        const newer = put(id.entity, id.key, 2, 'new')
        const [removed, [result]] = await together([c.store.remove([{ ...id, seq: 1 }]), c.store.write([newer])])
        expectEqual(removed <= 1, true, 'how many were removed')
        expectEqual(result?.status, 'applied', 'the newer row')
        expectRows(await c.store.load([id]), [newer])
      }
    },
  ],
  [
    '16 removals of one row count it once',
    async (c) => {
      await c.store.write([put(c.entity(), 'k', 1, 'x')])
      const id = { entity: c.entity(), key: 'k' }
      const counts = await together(Array.from({ length: 16 }, () => c.store.remove([id])))
      expectEqual(
        counts.reduce((sum, count) => sum + count, 0),
        1,
        'all counts together',
      )
    },
  ],
])

/** All at once; gives the results and the writes that were applied. */
async function race(c: CaseContext, write: (i: number) => RowWrite): Promise<[WriteResult[], RowWrite[]]> {
  const writes = Array.from({ length: WRITERS }, (_, i) => write(i))
  const results = (await together(writes.map((w) => c.store.write([w])))).flat()
  return [results, writes.filter((_, i) => results[i]!.status === 'applied')]
}

async function oneWins(c: CaseContext, seq: number, write: (i: number) => RowWrite): Promise<void> {
  const [results, winners] = await race(c, write)
  expectEqual(winners.length, 1, 'how many were applied')
  for (const result of results) if (result.status === 'stale') expectEqual(result.seq, seq, 'the seq of stale')
  expectRows(await c.store.load([{ entity: c.entity(), key: 'k' }]), winners)
}

async function allAreOne(c: CaseContext, write: RowWrite): Promise<void> {
  const [results] = await race(c, () => write)
  expectResults(results, Array<'applied'>(WRITERS).fill('applied'))
  expectRows(await c.store.load([write]), [write])
}

/** The way of `update` in core: read, write if unchanged, else again; the writer's name is its write id. */
async function countUp({ store, entity }: CaseContext, writer: number, times: number): Promise<void> {
  let tries = 0
  for (let step = 0; step < times;) {
    const [row] = await store.load([{ entity: entity(), key: 'counter' }])
    const seq = row!.seq
    const count = Number(new TextDecoder().decode(row!.rec).split(' ')[0])
    const write = put(entity(), 'counter', seq + 1, `${count + 1} by ${writer}/${step}`, { guard: { seq } })
    const [result] = await store.write([write])
    if (result!.status === 'applied') step++
    // At worst every step of every other writer comes between.
    else if (++tries > 1000) throw new Error('a thousand tries were stale')
  }
}
