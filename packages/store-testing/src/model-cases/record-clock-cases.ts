import { encodeTuple, MAX_SEQ, ownerEntity, records, type RowWrite } from '@keepsake/core'
import { expectEqual, expectError } from '../expect.ts'
import { together } from '../together.ts'
import { modelCasesOf, type MemoryModelCase, type ModelContext } from './model-case.ts'
import { HOUR_MS, MINUTE_MS, testClock } from './test-clock.ts'
import { watched } from './watched-store.ts'

const keyOf = (key: string): string => encodeTuple(['r', key])

/** Writes a record, and then its row once more at a version of a clock that is far off. */
async function poison({ store, name }: ModelContext, seq: number): Promise<void> {
  await records<string>(store, name()).put(['k'], 'poisoned')
  const [row] = await store.load([{ entity: ownerEntity(name()), key: keyOf('k') }])
  await store.write([{ ...row!, seq }])
}

export const recordClockCases: MemoryModelCase[] = modelCasesOf('records: clocks', [
  [
    'a put by a slow clock wins over what a fast one wrote, and the other way round',
    async ({ store, name }) => {
      const [slow, fast] = [0, HOUR_MS].map((aheadMs) => records<string>(store, name(), { clock: testClock(aheadMs) }))
      for (const [notes, value] of [
        [fast, 'fast'],
        [slow, 'slow'],
        [slow, 'slow again'],
        [fast, 'fast again'],
      ] as const) {
        expectEqual((await notes!.put(['k'], value))!.value, value, 'what it returns')
        expectEqual((await fast!.get(['k']))!.value, value, 'what is there')
      }
    },
  ],
  [
    'putMany by a slow clock wins over what a fast one wrote, for each record',
    async ({ store, name }) => {
      const fast = records<string>(store, name(), { clock: testClock(HOUR_MS) })
      await fast.putMany(['a', 'c'].map((key) => ({ key: [key], value: 'fast' })))
      const slow = records<string>(store, name(), { clock: testClock() })
      const put = await slow.putMany(['a', 'b', 'c'].map((key) => ({ key: [key], value: 'slow' })))
      expectEqual(
        put.map((entry) => entry!.value),
        ['slow', 'slow', 'slow'],
        'what it returns',
      )
      expectEqual(
        (await fast.list([])).items.map((entry) => entry.value),
        ['slow', 'slow', 'slow'],
        'what is there',
      )
    },
  ],
  [
    'a poisoned version stays on its row: every kind of write goes on from it, and other rows do not',
    async (context) => {
      const { store, name } = context
      const poisoned = MAX_SEQ - 10
      await poison(context, poisoned)
      const notes = records<string>(store, name(), { clock: testClock() })
      expectEqual((await notes.put(['k'], 'put'))!.version, poisoned + 1, 'a put')
      expectEqual((await notes.update(['k'], () => 'updated'))!.version, poisoned + 2, 'an update')
      expectEqual(await notes.delete(['k']), true, 'a delete')
      expectEqual((await notes.put(['k'], 'over the tombstone'))!.version, poisoned + 4, 'a put over the tombstone')
      expectEqual(await notes.deleteAll([]), 1, 'a deleteAll')
      expectEqual((await notes.put(['other'], 'x'))!.version < 2 ** 52, true, 'whether another row is as it should be')
    },
  ],
  [
    'over the largest version nothing can be written, and the error says what to do',
    async (context) => {
      const { store, name } = context
      await poison(context, MAX_SEQ)
      const notes = records<string>(store, name())
      for (const write of [
        () => notes.put(['k'], 'x'),
        () => notes.update(['k'], () => 'x'),
        () => notes.delete(['k']),
      ]) {
        const error = await expectError(write(), 'invalid_value', 'a write')
        expectEqual(error.message.includes("remove such a row with the store's remove()"), true, 'whether it says so')
      }
      await store.remove([{ entity: ownerEntity(name()), key: keyOf('k') }])
      expectEqual((await notes.put(['k'], 'x'))!.value, 'x', 'a put after that')
    },
  ],
  [
    'of blind puts at once by clocks minutes apart one stays, whole',
    async ({ store, name }) => {
      const texts = Array.from({ length: 32 }, (_, i) => `by ${i}`)
      await together(
        texts.map((text, i) =>
          records<string>(store, name(), { clock: testClock((i % 4) * MINUTE_MS) }).put(['k'], text),
        ),
      )
      expectEqual(
        texts.includes((await records<string>(store, name()).get(['k']))!.value),
        true,
        'whether it is one of them',
      )
    },
  ],
  [
    'a put that arrives late does not overwrite a later one, nor what was deleted',
    async ({ store, name }) => {
      const notes = watched(store)
      const early = records<string>(notes.store, name())
      await early.put(['k'], 'old')
      await early.put(['gone'], 'old')
      const late: RowWrite[] = notes.writes.flat()
      const others = records<string>(store, name())
      await others.put(['k'], 'new')
      await others.delete(['gone'])
      await store.write(late)
      expectEqual((await others.get(['k']))!.value, 'new', 'the later put')
      expectEqual(await others.get(['gone']), undefined, 'what was deleted')
    },
  ],
])
