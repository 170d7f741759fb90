import { encodeTuple, ownerEntity, records, type Entry } from '@keepsake/core'
import { expectEqual } from '../expect.ts'
import { together } from '../together.ts'
import { expectSame } from './expect-same.ts'
import { modelCasesOf, type MemoryModelCase } from './model-case.ts'
import { HOUR_MS, MINUTE_MS, testClock } from './test-clock.ts'
import { resent } from './watched-store.ts'

const values = (entries: readonly (Entry<unknown> | undefined)[]): unknown[] => entries.map((entry) => entry?.value)

export const recordVersionCases: MemoryModelCase[] = modelCasesOf('records: versions', [
  [
    'a put is read at once, as it was returned, with its times',
    async ({ store, name }) => {
      const clock = testClock()
      const notes = records<{ n: number }>(store, name(), { clock })
      const start = clock.nowMs()
      const put = await notes.put(['a', 'b'], { n: 1 })
      expectSame(
        put,
        { key: ['a', 'b'], value: { n: 1 }, version: put!.version, createdAtMs: start, updatedAtMs: start },
        'put',
      )
      expectSame(await notes.get(['a', 'b']), put, 'get')
      clock.pass(MINUTE_MS)
      const again = await notes.put(['a', 'b'], { n: 2 })
      expectEqual(
        [again!.createdAtMs, again!.updatedAtMs],
        [start + MINUTE_MS, start + MINUTE_MS],
        'a blind put starts anew',
      )
      expectEqual(again!.version > put!.version, true, 'whether versions grow')
      expectEqual(await notes.get(['a']), undefined, 'another key')
    },
  ],
  [
    'ifVersion: null creates, and never twice',
    async ({ store, name }) => {
      const notes = records<string>(store, name())
      const created = await notes.put(['k'], 'first', { ifVersion: null })
      expectEqual(created?.value, 'first', 'the first')
      expectEqual(await notes.put(['k'], 'second', { ifVersion: null }), undefined, 'the second')
      expectSame(await notes.get(['k']), created, 'what is there')
    },
  ],
  [
    'ifVersion writes over that version and no other, and keeps when it was created',
    async ({ store, name }) => {
      const clock = testClock()
      const notes = records<string>(store, name(), { clock })
      const first = await notes.put(['k'], '1')
      clock.pass(MINUTE_MS)
      const second = await notes.put(['k'], '2', { ifVersion: first!.version })
      expectEqual([second!.createdAtMs, second!.updatedAtMs], [first!.createdAtMs, clock.nowMs()], 'times')
      for (const ifVersion of [first!.version, second!.version + 1, second!.version - 1, 0, -1, null]) {
        expectEqual(await notes.put(['k'], '3', { ifVersion }), undefined, `over ${ifVersion}`)
      }
      expectSame(await notes.get(['k']), second, 'what is there')
      expectEqual(await notes.put(['none'], '1', { ifVersion: second!.version }), undefined, 'where nothing is')
    },
  ],
  [
    'a record that was deleted counts as none: null creates over it, its versions never come back',
    async ({ store, name }) => {
      const notes = records<string>(store, name())
      const first = await notes.put(['k'], '1')
      await notes.delete(['k'])
      const [tombstone] = await store.load([{ entity: ownerEntity(name()), key: encodeTuple(['r', 'k']) }])
      expectEqual(tombstone!.rec.length, 0, 'whether a tombstone is stored')
      for (const ifVersion of [first!.version, tombstone!.seq]) {
        expectEqual(await notes.put(['k'], '2', { ifVersion }), undefined, 'over the dead')
      }
      const again = await notes.put(['k'], '3', { ifVersion: null })
      expectEqual(again!.version > tombstone!.seq, true, 'whether its version is greater than the tombstone')
      expectEqual(again!.createdAtMs >= first!.createdAtMs, true, 'when it was created')
      expectEqual(await notes.put(['k'], '4', { ifVersion: first!.version }), undefined, 'over the version before')
    },
  ],
  [
    'a record that has expired counts as none',
    async ({ store, name }) => {
      const clock = testClock()
      const notes = records<string>(store, name(), { clock })
      const first = await notes.put(['k'], '1', { ttlMs: HOUR_MS })
      clock.pass(HOUR_MS)
      expectEqual(await notes.put(['k'], '2', { ifVersion: first!.version }), undefined, 'over its version')
      const again = await notes.put(['k'], '3', { ifVersion: null })
      expectEqual([again!.value, again!.createdAtMs, again!.expiresAtMs ?? null], ['3', clock.nowMs(), null], 'created')
      expectEqual(again!.version > first!.version, true, 'whether its version is greater')
    },
  ],
  [
    'of 64 who create one record at once, with one value, exactly one does',
    async ({ store, name }) => {
      const outcomes = await together(
        Array.from({ length: 64 }, (_, i) =>
          records<string>(store, name(), { clock: testClock((i % 3) * MINUTE_MS) }).put(['k'], 'same', {
            ifVersion: null,
          }),
        ),
      )
      const winners = outcomes.filter((entry) => entry !== undefined)
      expectEqual(winners.length, 1, 'how many created it')
      expectSame(await records(store, name()).get(['k']), winners[0], 'what is there')
    },
  ],
  [
    'of 64 who write over one version at once, with one value, exactly one does',
    async ({ store, name }) => {
      const { version } = (await records<string>(store, name()).put(['k'], 'before'))!
      const clock = testClock()
      const outcomes = await together(
        Array.from({ length: 64 }, () =>
          // All of them make the same version: only what was written tells them apart.
          records<string>(store, name(), { clock: { ...clock, nextSeq: () => version + 1 } }).put(['k'], 'same', {
            ifVersion: version,
          }),
        ),
      )
      expectEqual(outcomes.filter((entry) => entry !== undefined).length, 1, 'how many wrote over it')
    },
  ],
  [
    'a conditional put that was sent twice is applied, once',
    async ({ store, name }) => {
      const { version } = (await records<string>(store, name()).put(['k'], '1'))!
      const twice = records<string>(
        resent(
          store,
          () => true,
          async () => undefined,
        ),
        name(),
      )
      expectEqual((await twice.put(['k'], '2', { ifVersion: version }))?.value, '2', 'over a version')
      expectEqual((await twice.put(['new'], '1', { ifVersion: null }))?.value, '1', 'where nothing was')
    },
  ],
  [
    'a conditional put that was sent twice, with an update of another in between, knows that it was applied',
    async ({ store, name }) => {
      const others = records<string[]>(store, name())
      const { version } = (await others.put(['k'], ['before']))!
      const key = encodeTuple(['r', 'k'])
      const twice = resent(
        store,
        (rows) => rows.some((row) => row.key === key),
        () => others.update(['k'], (list) => [...list!, 'theirs']),
      )
      const mine = await records<string[]>(twice, name()).put(['k'], ['mine'], { ifVersion: version })
      expectEqual(mine?.value, ['mine'], 'what it returns')
      expectEqual((await others.get(['k']))!.value, ['mine', 'theirs'], 'what is there')
    },
  ],
  [
    'putMany: each as put does it, in the order given',
    async ({ store, name }) => {
      const notes = records<string>(store, name())
      const a = (await notes.put(['a'], 'old'))!
      const results = await notes.putMany([
        { key: ['a'], value: 'new', options: { ifVersion: a.version } },
        { key: ['a'], value: 'never', options: { ifVersion: a.version } },
        { key: ['b'], value: 'blind' },
        { key: ['b'], value: 'never', options: { ifVersion: null } },
        { key: ['c'], value: 'created', options: { ifVersion: null } },
      ])
      expectEqual(values(results), ['new', undefined, 'blind', undefined, 'created'], 'results')
      expectEqual(
        values(await notes.getMany([['a'], ['b'], ['c'], ['d']])),
        ['new', 'blind', 'created', undefined],
        'stored',
      )
    },
  ],
  [
    'putMany of 600 blind records, one of them three times: the last of a key stays',
    async ({ store, name }) => {
      const notes = records<number>(store, name())
      const entries = Array.from({ length: 600 }, (_, i) => ({ key: [String(i % 598)], value: i }))
      expectEqual((await notes.putMany([...entries, { key: ['0'], value: -1 }])).length, 601, 'results')
      expectEqual((await notes.get(['0']))!.value, -1, 'the key that came three times')
      expectEqual((await notes.get(['1']))!.value, 599, 'a key that came twice')
      expectEqual((await notes.list([], { limit: 1000 })).items.length, 598, 'how many there are')
      expectEqual(await notes.putMany([]), [], 'none')
    },
  ],
  [
    'getMany gives entries in the order of the keys, the same one twice where it is asked twice',
    async ({ store, name }) => {
      const notes = records<string>(store, name())
      await notes.putMany(['a', 'b'].map((key) => ({ key: [key], value: key })))
      expectEqual(values(await notes.getMany([['b'], ['x'], ['a'], ['b']])), ['b', undefined, 'a', 'b'], 'entries')
      expectEqual(await notes.getMany([]), [], 'none')
    },
  ],
])
