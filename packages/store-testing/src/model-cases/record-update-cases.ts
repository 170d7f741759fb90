import { encodeTuple, records, type RowWrite } from '@keepsake/core'
import { expectEqual, expectError } from '../expect.ts'
import { faultyStore } from '../faulty-store.ts'
import { together } from '../together.ts'
import { expectSame } from './expect-same.ts'
import { modelCasesOf, type MemoryModelCase } from './model-case.ts'
import { HOUR_MS, MINUTE_MS, testClock } from './test-clock.ts'
import { overtaken, resent } from './watched-store.ts'

const isCount = (rows: readonly RowWrite[]): boolean => rows.some(({ key }) => key === encodeTuple(['r', 'count']))
const plusOne = (n: number | undefined): number => (n ?? 0) + 1

export const recordUpdateCases: MemoryModelCase[] = modelCasesOf('records: update', [
  [
    '64 increments at once, by clocks minutes apart, make 64',
    async ({ store, name }) => {
      const owners = [-5, 0, 5].map((minutes) =>
        records<number>(store, name(), { clock: testClock(minutes * MINUTE_MS) }),
      )
      const returned = await together(Array.from({ length: 64 }, (_, i) => owners[i % 3]!.update(['count'], plusOne)))
      expectEqual((await owners[0]!.get(['count']))!.value, 64, 'the counter')
      const numbers = returned.map((entry) => entry!.value).toSorted((a, b) => a - b)
      expectEqual(
        numbers,
        Array.from({ length: 64 }, (_, i) => i + 1),
        'what each made',
      )
    },
  ],
  [
    'an update creates, changes, and keeps when it was created',
    async ({ store, name }) => {
      const clock = testClock()
      const notes = records<number>(store, name(), { clock })
      const first = await notes.update(['count'], plusOne)
      clock.pass(MINUTE_MS)
      const second = await notes.update(['count'], plusOne)
      expectEqual(
        [second!.value, second!.createdAtMs, second!.updatedAtMs],
        [2, first!.createdAtMs, clock.nowMs()],
        'second',
      )
      expectSame(await notes.get(['count']), second, 'what is there')
    },
  ],
  [
    'an update with an opId is made once, also by another handle and under 15 later ones',
    async ({ store, name }) => {
      const [notes, again] = [records<number>(store, name()), records<number>(store, name())]
      await notes.update(['count'], plusOne, { opId: 'run/call' })
      for (let i = 0; i < 15; i++) await again.update(['count'], plusOne)
      const repeated = await again.update(['count'], plusOne, { opId: 'run/call' })
      expectEqual(repeated!.value, 16, 'what the repeat gives')
      expectSame(await notes.get(['count']), repeated, 'what is there')
      await again.update(['count'], plusOne, { opId: 'run/call 2' })
      expectEqual((await notes.get(['count']))!.value, 17, 'after another one')
    },
  ],
  [
    'a put with an opId is made once, with ifVersion and without',
    async ({ store, name }) => {
      const notes = records<string>(store, name())
      const created = await notes.put(['k'], 'one', { ifVersion: null, opId: 'a' })
      expectSame(await notes.put(['k'], 'one', { ifVersion: null, opId: 'a' }), created, 'the repeated creation')
      const other = await notes.put(['k'], 'two', { ifVersion: created!.version })
      expectSame(await notes.put(['k'], 'one', { opId: 'a' }), other, 'the repeat under a later write')
      const [third] = await notes.putMany([{ key: ['k'], value: 'three', options: { opId: 'b' } }])
      expectSame(await notes.put(['k'], 'three', { opId: 'b' }), third, 'the repeat of one of many')
      expectEqual((await notes.get(['k']))!.value, 'three', 'what is there')
    },
  ],
  [
    'an opId that is no name is refused before anything is written',
    async ({ store, name, rows }) => {
      const notes = records<number>(store, name())
      for (const opId of ['', 'a\uD800', 'é'.repeat(257)]) {
        await expectError(notes.update(['k'], plusOne, { opId }), 'invalid_key', 'an update')
        await expectError(notes.put(['k'], 1, { opId }), 'invalid_key', 'a put')
      }
      expectEqual((await rows()).length, 0, 'rows')
    },
  ],
  [
    'returning undefined leaves the entry as it is, though the function changed its argument',
    async ({ store, name, rows }) => {
      const notes = records<{ list: string[] }>(store, name())
      const put = await notes.put(['k'], { list: ['a'] })
      const before = await rows()
      const left = await notes.update(['k'], (value) => {
        value!.list.push('b')
        return undefined
      })
      expectSame(left, put, 'what it returns')
      expectEqual(await notes.update(['none'], () => undefined), undefined, 'where nothing is')
      expectSame(await rows(), before, 'rows')
    },
  ],
  [
    'an update may change its argument and return it',
    async ({ store, name }) => {
      const notes = records<{ list: string[] }>(store, name())
      await notes.put(['k'], { list: ['a'] })
      await notes.update(['k'], (value) => {
        value!.list.push('b')
        return value
      })
      expectEqual((await notes.get(['k']))!.value, { list: ['a', 'b'] }, 'what is there')
    },
  ],
  [
    'an update that was overtaken is made again, on the fresh value',
    async ({ store, name }) => {
      const others = records<number>(store, name())
      await others.put(['count'], 10)
      const seen: unknown[] = []
      const slow = records<number>(
        overtaken(store, isCount, () => others.put(['count'], 20)),
        name(),
      )
      const made = await slow.update(['count'], (n) => {
        seen.push(n)
        return plusOne(n)
      })
      expectEqual([seen, made!.value], [[10, 20], 21], 'what it saw and made')
    },
  ],
  ...[0, 1, 15].map(
    (theirs) =>
      [
        `an update that was sent twice, with ${theirs} of others in between, is applied once`,
        async ({ store, name }) => {
          const others = records<number>(store, name())
          await others.put(['count'], 100)
          const meanwhile = async () => {
            for (let i = 0; i < theirs; i++) await others.update(['count'], plusOne)
          }
          const mine = await records<number>(resent(store, isCount, meanwhile), name()).update(['count'], plusOne)
          expectEqual(mine!.value, 101, 'what it made')
          expectEqual((await others.get(['count']))!.value, 101 + theirs, 'what is there')
        },
      ] satisfies Parameters<typeof modelCasesOf>[1][number],
  ),
  [
    'an update whose answer is lost says so, and has been applied once',
    async ({ store, name }) => {
      const notes = records<number>(store, name())
      await notes.put(['count'], 1)
      const faulty = faultyStore(store, (call) =>
        call.method === 'write' && call.index === 2 ? { kind: 'lose-answer' } : undefined,
      )
      // The first two writes are of the subject's directory: this is another process.
      await expectError(records<number>(faulty, name()).update(['count'], plusOne), 'unavailable', 'the lost answer')
      expectEqual((await notes.get(['count']))!.value, 2, 'what is there')
    },
  ],
  [
    'over what was deleted or has expired an update begins with nothing',
    async ({ store, name }) => {
      const clock = testClock()
      const notes = records<number>(store, name(), { clock })
      await notes.put(['deleted'], 5)
      await notes.delete(['deleted'])
      await notes.put(['expired'], 5, { ttlMs: HOUR_MS })
      clock.pass(HOUR_MS)
      for (const key of ['deleted', 'expired']) {
        const made = await notes.update([key], plusOne)
        expectEqual([made!.value, made!.createdAtMs, made!.expiresAtMs ?? null], [1, clock.nowMs(), null], key)
      }
    },
  ],
  [
    'what an update does not say stays: its end, subject and sources',
    async ({ store, name }) => {
      const clock = testClock()
      const notes = records<number>(store, name(), { clock })
      const put = await notes.put(['count'], 1, { ttlMs: HOUR_MS, subject: name('bob'), sources: ['m1'] })
      clock.pass(MINUTE_MS)
      const kept = await notes.update(['count'], plusOne)
      expectEqual(kept!.expiresAtMs, put!.expiresAtMs, 'its end')
      const renewed = await notes.update(['count'], plusOne, { ttlMs: HOUR_MS })
      expectEqual(renewed!.expiresAtMs, clock.nowMs() + HOUR_MS, 'its new end')
    },
  ],
  [
    'ifVersion holds an update to one version',
    async ({ store, name }) => {
      const notes = records<number>(store, name())
      const first = await notes.put(['count'], 1)
      expectEqual((await notes.update(['count'], plusOne, { ifVersion: first!.version }))!.value, 2, 'over it')
      expectEqual(await notes.update(['count'], plusOne, { ifVersion: first!.version }), undefined, 'over it again')
      expectEqual(await notes.update(['count'], plusOne, { ifVersion: null }), undefined, 'only if there is none')
      expectEqual((await notes.update(['new'], plusOne, { ifVersion: null }))!.value, 1, 'where there is none')
    },
  ],
  [
    'what the function throws is thrown, and nothing is written',
    async ({ store, name, rows }) => {
      const notes = records<number>(store, name())
      await notes.put(['count'], 1)
      const before = await rows()
      const broken = notes.update(['count'], () => {
        throw new TypeError('not today')
      })
      const message = await broken.catch((error: unknown) => (error as Error).message)
      expectEqual(message, 'not today', 'what it throws')
      await expectError(
        notes.update(['count'], () => Number.NaN),
        'invalid_value',
        'a value that cannot be stored',
      )
      expectSame(await rows(), before, 'rows')
    },
  ],
])
