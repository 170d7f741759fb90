import { ownerEntity, records } from '@keepsake/core'
import { expectEqual } from '../expect.ts'
import { together } from '../together.ts'
import { modelCasesOf, type MemoryModelCase } from './model-case.ts'
import { HOUR_MS, testClock } from './test-clock.ts'
import { overtaken, watched } from './watched-store.ts'

const keys = (count: number, space = 'n'): string[][] => Array.from({ length: count }, (_, i) => [space, String(i)])

export const recordDeleteCases: MemoryModelCase[] = modelCasesOf('records: delete', [
  [
    'delete says whether there was one',
    async ({ store, name }) => {
      const clock = testClock()
      const notes = records<string>(store, name(), { clock })
      await notes.put(['k'], 'x')
      await notes.put(['expired'], 'x', { ttlMs: HOUR_MS })
      expectEqual(await notes.delete(['k']), true, 'the first time')
      expectEqual(await notes.delete(['k']), false, 'the second time')
      expectEqual(await notes.delete(['none']), false, 'where nothing was')
      clock.pass(HOUR_MS)
      expectEqual(await notes.delete(['expired']), false, 'what has expired')
      expectEqual(await notes.get(['k']), undefined, 'what is there')
    },
  ],
  [
    'with ifVersion only that version is deleted',
    async ({ store, name }) => {
      const notes = records<string>(store, name())
      const first = await notes.put(['k'], '1')
      const second = await notes.put(['k'], '2')
      for (const ifVersion of [first!.version, null, 0])
        expectEqual(await notes.delete(['k'], { ifVersion }), false, 'another')
      expectEqual(await notes.delete(['k'], { ifVersion: second!.version }), true, 'the right one')
    },
  ],
  [
    'a delete that was overtaken by a put deletes what was put, unless it names a version',
    async ({ store, name }) => {
      const others = records<string>(store, name())
      const first = await others.put(['k'], '1')
      const slow = () =>
        records<string>(
          overtaken(
            store,
            () => true,
            () => others.put(['k'], '2'),
          ),
          name(),
        )
      expectEqual(await slow().delete(['k'], { ifVersion: first!.version }), false, 'with a version')
      expectEqual((await others.get(['k']))!.value, '2', 'what is there')
      expectEqual(await slow().delete(['k']), true, 'without')
      expectEqual(await others.get(['k']), undefined, 'what is there then')
    },
  ],
  [
    'deleteAll deletes 250 of 250 and counts them, and nothing beside them',
    async ({ store, name }) => {
      const notes = records<number>(store, name())
      await notes.putMany(keys(250).map((key, i) => ({ key, value: i })))
      const beside = [['n-1', 'x'], ['m', 'x'], ['n\u0001', 'x'], ['n\u0002', 'x'], ['o'], ['N', 'x']]
      await notes.putMany(beside.map((key) => ({ key, value: -1 })))
      expectEqual(await notes.deleteAll(['n']), 250, 'how many')
      expectEqual((await notes.list(['n'])).items, [], 'what is left')
      expectEqual((await notes.list([])).items.length, beside.length, 'what lies beside')
      expectEqual(await notes.deleteAll(['n']), 0, 'how many the second time')
    },
  ],
  [
    'deleteAll takes 1,100 records, and counts those that are there, not those that were',
    async ({ store, name }) => {
      const clock = testClock()
      const notes = records<number>(store, name(), { clock })
      await notes.putMany(keys(1000).map((key, i) => ({ key, value: i })))
      await notes.putMany(keys(100, 'expiring').map((key, i) => ({ key, value: i, options: { ttlMs: HOUR_MS } })))
      for (const key of keys(10)) await notes.delete(key)
      clock.pass(HOUR_MS)
      expectEqual(await notes.deleteAll([]), 990, 'how many')
      expectEqual((await notes.list([])).items, [], 'what is left')
    },
  ],
  [
    'deleteAll of a whole key deletes that record and what lies below it',
    async ({ store, name }) => {
      const notes = records<string>(store, name())
      await notes.putMany([['a'], ['a', 'b'], ['a', 'b', 'c'], ['ab']].map((key) => ({ key, value: 'x' })))
      expectEqual(await notes.deleteAll(['a', 'b']), 2, 'how many')
      expectEqual(
        (await notes.list([])).items.map(({ key }) => key),
        [['a'], ['ab']],
        'what is left',
      )
    },
  ],
  [
    'deleteAll takes also what is written while it runs, where it has not passed',
    async ({ store, name }) => {
      const others = records<string>(store, name())
      await others.putMany(keys(3).map((key) => ({ key, value: 'old' })))
      const slow = overtaken(
        store,
        () => true,
        () => others.put(['n', '1'], 'new'),
      )
      expectEqual(await records(slow, name()).deleteAll(['n']), 3, 'how many')
      expectEqual((await others.list([])).items, [], 'what is left')
    },
  ],
  [
    'of 4 who delete all at once each counts what it took: together they count all',
    async ({ store, name }) => {
      await records<number>(store, name()).putMany(keys(100).map((key, i) => ({ key, value: i })))
      const counts = await together(
        // Clocks of different processes give different versions.
        [0, 7, 13, 29].map((aheadMs) => records(store, name(), { clock: testClock(aheadMs) }).deleteAll(['n'])),
      )
      expectEqual(
        counts.reduce((sum, count) => sum + count, 0),
        100,
        'counted together',
      )
    },
  ],
  [
    'writes that arrive once more bring nothing back',
    async ({ store, name }) => {
      const notes = watched(store)
      await records<number>(notes.store, name()).putMany(keys(20).map((key, i) => ({ key, value: i })))
      await records<number>(notes.store, name()).update(['n', '0'], (n) => n! + 1)
      const others = records<number>(store, name())
      await others.deleteAll(['n'])
      for (const rows of notes.writes) await store.write(rows)
      expectEqual((await others.list([])).items, [], 'what is there')
    },
  ],
  [
    'deleteAll leaves other areas and the list of threads alone',
    async ({ store, name }) => {
      const [notes, files] = [records<string>(store, name()), records<string>(store, name(), { area: 'f' })]
      await notes.put(['a'], 'x')
      await files.put(['a'], 'y')
      expectEqual(await notes.deleteAll([]), 1, 'how many')
      expectEqual((await files.get(['a']))!.value, 'y', 'the other area')
      expectEqual(
        (await store.scan(ownerEntity(name()), { limit: 10 })).length,
        2,
        'rows: a tombstone and the other area',
      )
    },
  ],
])
