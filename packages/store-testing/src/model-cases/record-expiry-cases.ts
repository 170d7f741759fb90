import { encodeTuple, ownerEntity, records } from '@keepsake/core'
import { expectEqual } from '../expect.ts'
import { modelCasesOf, type MemoryModelCase } from './model-case.ts'
import { HOUR_MS, testClock } from './test-clock.ts'

export const recordExpiryCases: MemoryModelCase[] = modelCasesOf('records: expiry', [
  [
    'a record is there until its time is up, and then for no kind of reading',
    async ({ store, name }) => {
      const clock = testClock()
      const notes = records<string>(store, name(), { clock })
      const put = await notes.put(['n', 'k'], 'red apple', { ttlMs: HOUR_MS })
      expectEqual(put!.expiresAtMs, clock.nowMs() + HOUR_MS, 'when it ends')
      const shown = async (): Promise<unknown[]> => [
        (await notes.get(['n', 'k']))?.value,
        (await notes.getMany([['n', 'k']]))[0]?.value,
        (await notes.list(['n'])).items.length,
        (await notes.search([], 'apple')).items.length,
        (await notes.prefixes([])).items.length,
      ]
      clock.pass(HOUR_MS - 1)
      expectEqual(await shown(), ['red apple', 'red apple', 1, 1, 1], 'a millisecond before')
      clock.pass(1)
      expectEqual(await shown(), [undefined, undefined, 0, 0, 0], 'at that moment')
      const seen: unknown[] = []
      await notes.update(['n', 'k'], (value) => {
        seen.push(value ?? 'nothing')
        return undefined
      })
      expectEqual(seen, ['nothing'], 'what an update sees')
      expectEqual(await notes.deleteAll([]), 0, 'what deleteAll counts')
    },
  ],
  [
    'the end is in the row, for stores that drop what has expired',
    async ({ store, name }) => {
      const notes = records<string>(store, name())
      const put = await notes.put(['k'], 'x', { ttlMs: HOUR_MS })
      const [row] = await store.load([{ entity: ownerEntity(name()), key: encodeTuple(['r', 'k']) }])
      expectEqual(row!.expiresAtMs, put!.expiresAtMs, 'when the row may go')
    },
  ],
  [
    'a put without an end keeps for ever what had one',
    async ({ store, name }) => {
      const clock = testClock()
      const notes = records<string>(store, name(), { clock })
      await notes.put(['k'], 'x', { ttlMs: HOUR_MS })
      await notes.put(['k'], 'y')
      clock.pass(1000 * HOUR_MS)
      expectEqual((await notes.get(['k']))!.value, 'y', 'what is there')
    },
  ],
  [
    'expired records do not make pages short, nor end a list',
    async ({ store, name }) => {
      const clock = testClock()
      const notes = records<number>(store, name(), { clock })
      await notes.putMany(
        Array.from({ length: 60 }, (_, i) => ({
          key: [String(i).padStart(3, '0')],
          value: i,
          ...(i % 20 !== 0 && { options: { ttlMs: HOUR_MS } }),
        })),
      )
      clock.pass(HOUR_MS)
      const first = await notes.list([], { limit: 2 })
      expectEqual(
        first.items.map(({ value }) => value),
        [0, 20],
        'the first page',
      )
      const second = await notes.list([], { limit: 2, cursor: first.cursor! })
      expectEqual(
        [second.items.map(({ value }) => value), second.cursor === undefined],
        [[40], true],
        'the second page',
      )
    },
  ],
])
