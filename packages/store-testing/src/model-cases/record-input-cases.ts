import { records, type Key, type PutOptions } from '@keepsake/core'
import { expectEqual, expectError } from '../expect.ts'
import { expectSame } from './expect-same.ts'
import { modelCasesOf, type MemoryModelCase } from './model-case.ts'
import { watched } from './watched-store.ts'

type Schema<V> = NonNullable<NonNullable<Parameters<typeof records<V>>[2]>['schema']>

function validate(value: unknown) {
  const n = Number((value as { n?: unknown } | null)?.n)
  return Number.isInteger(n) ? { value: { n } } : { issues: [{ message: 'must be whole', path: ['n'] }] }
}

/** Takes `{ n }` of a text or a number, and makes it a number. `wait` answers later, as asynchronous checks do. */
function schema(wait: boolean): Schema<{ n: number }> {
  return {
    '~standard': { version: 1, vendor: 'test', validate: wait ? async (value) => validate(value) : validate },
  }
}

/** Entries that putMany refuses, each after one that is fine. */
const refused: readonly (readonly [
  string,
  { key: Key; value: unknown; options?: PutOptions },
  'invalid_key' | 'invalid_value' | 'too_large',
])[] = [
  ['an empty key', { key: [], value: 1 }, 'invalid_key'],
  ['a key with half of a surrogate pair', { key: ['\uD83D'], value: 1 }, 'invalid_key'],
  ['a key that is too long', { key: ['x'.repeat(1100)], value: 1 }, 'invalid_key'],
  ['a value that is no data', { key: ['k'], value: new Map() }, 'invalid_value'],
  ['a ttlMs of nothing', { key: ['k'], value: 1, options: { ttlMs: 0 } }, 'invalid_value'],
  ['a ttlMs beyond time', { key: ['k'], value: 1, options: { ttlMs: Number.MAX_SAFE_INTEGER } }, 'invalid_value'],
  ['a subject that is nobody', { key: ['k'], value: 1, options: { subject: '' } }, 'invalid_key'],
  ['a subject that is too long', { key: ['k'], value: 1, options: { subject: 'x'.repeat(600) } }, 'invalid_key'],
  ['sources that are no texts', { key: ['k'], value: 1, options: { sources: [5 as never] } }, 'invalid_value'],
  ['an ifVersion that is none', { key: ['k'], value: 1, options: { ifVersion: 0.5 } }, 'invalid_value'],
  ['a value of more than 4 MiB', { key: ['k'], value: 'x'.repeat(4_194_304) }, 'too_large'],
  [
    'one of more than 4 MiB with a condition',
    { key: ['k'], value: 'x'.repeat(4_194_304), options: { ifVersion: null } },
    'too_large',
  ],
]

export const recordInputCases: MemoryModelCase[] = modelCasesOf('records: what is refused', [
  ...refused.map(
    ([what, entry, code]) =>
      [
        `putMany with ${what} among others writes none of them, and neither does put`,
        async ({ store, name, rows }) => {
          const notes = watched(store)
          const mine = records<unknown>(notes.store, name())
          const fine = { key: ['fine'], value: 1 }
          await expectError(mine.putMany([fine, entry]), code, 'putMany')
          await expectError(mine.putMany([{ ...fine, options: { ifVersion: null } }, entry]), code, 'with a condition')
          await expectError(mine.put(entry.key, entry.value, entry.options), code, 'put')
          expectEqual([await rows(), notes.writes.length], [[], 0], 'rows and writes')
        },
      ] satisfies Parameters<typeof modelCasesOf>[1][number],
  ),
  [
    'putMany names the entry',
    async ({ store, name }) => {
      const notes = records<unknown>(store, name())
      const value = await expectError(
        notes.putMany([
          { key: ['a'], value: 1 },
          { key: ['b'], value: { at: 1n } },
        ]),
        'invalid_value',
        'a value',
      )
      expectEqual(value.message.startsWith('entries[1].value.at is a bigint'), true, 'whether the value is named')
      const key = await expectError(
        notes.putMany([
          { key: ['a'], value: 1 },
          { key: ['b', 5 as never], value: 1 },
        ]),
        'invalid_key',
        'a key',
      )
      expectEqual(key.message.startsWith('entries[1].key[1] must be a string'), true, 'whether the key is named')
    },
  ],
  [
    'an update to more than 4 MiB is refused, and what was there stays',
    async ({ store, name, rows }) => {
      const notes = records<string>(store, name())
      await notes.put(['k'], 'small')
      const before = await rows()
      const error = await expectError(
        notes.update(['k'], () => 'x'.repeat(4_194_304)),
        'too_large',
        'an update',
      )
      expectEqual(error.details['maxBytes'], 4_194_304, 'the limit in details')
      expectSame(await rows(), before, 'rows')
    },
  ],
  [
    'a value of almost 4 MiB comes back whole',
    async ({ store, name }) => {
      const notes = records<string>(store, name())
      const text = '😀'.repeat(1_048_000)
      await notes.put(['k'], text)
      expectEqual((await notes.get(['k']))!.value === text, true, 'whether it is the same')
    },
  ],
  ...[false, true].map(
    (wait) =>
      [
        `a schema that answers ${wait ? 'later' : 'at once'} decides what is stored, of every kind of write`,
        async ({ store, name, rows }) => {
          const notes = records<{ n: number }>(store, name(), { schema: schema(wait) })
          const text = { n: '5' } as unknown as { n: number }
          expectEqual((await notes.put(['a'], text))!.value, { n: 5 }, 'put')
          expectEqual((await notes.putMany([{ key: ['b'], value: text }]))[0]!.value, { n: 5 }, 'putMany')
          expectEqual((await notes.update(['a'], () => text))!.value, { n: 5 }, 'update')
          const before = await rows()
          const wrong = { n: 0.5 }
          const errors = [
            await expectError(notes.put(['a'], wrong), 'invalid_value', 'put'),
            await expectError(notes.put(['a'], wrong, { ifVersion: null }), 'invalid_value', 'put with a condition'),
            await expectError(
              notes.putMany([
                { key: ['c'], value: text },
                { key: ['d'], value: wrong },
              ]),
              'invalid_value',
              'putMany',
            ),
            await expectError(
              notes.update(['a'], () => wrong),
              'invalid_value',
              'update',
            ),
          ]
          for (const { message } of errors)
            expectEqual(message.includes('n: must be whole'), true, 'whether it says why')
          expectSame(await rows(), before, 'rows')
        },
      ] satisfies Parameters<typeof modelCasesOf>[1][number],
  ),
  [
    'records: what the caller holds is neither changed nor part of what is stored',
    async ({ store, name }) => {
      const notes = records<{ list: string[] }>(store, name())
      const [key, value] = [['a', 'b'], { list: ['x'] }]
      const putting = notes.put(key, value)
      const creating = notes.put(['c', ...key], value, { ifVersion: null })
      key[1] = 'later'
      value.list.push('later')
      const put = await putting
      await creating
      put!.value.list.push('later still')
      put!.key.push('later still')
      expectEqual(
        (await notes.list([])).items.map((entry) => entry.key),
        [
          ['a', 'b'],
          ['c', 'a', 'b'],
        ],
        'keys',
      )
      for (const entry of (await notes.list([])).items) expectEqual(entry.value, { list: ['x'] }, 'value')
    },
  ],
  [
    'records: a caller who has left: nothing is written or read',
    async ({ store, name, rows }) => {
      const notes = records<number>(store, name())
      await notes.put(['k'], 1)
      const before = await rows()
      const signal = AbortSignal.abort()
      const calls: Promise<unknown>[] = [
        notes.get(['k'], { signal }),
        notes.getMany([['k']], { signal }),
        notes.put(['k'], 2, { signal }),
        notes.put(['k'], 2, { signal, ifVersion: null }),
        notes.putMany([{ key: ['k'], value: 2 }], { signal }),
        notes.update(['k'], () => 2, { signal }),
        notes.delete(['k'], { signal }),
        notes.deleteAll([], { signal }),
        Promise.resolve(notes.list([], { signal })),
        Promise.resolve(notes.search([], 'x', { signal })),
        Promise.resolve(notes.prefixes([], { signal })),
      ]
      for (const call of calls) await expectError(call, 'aborted', 'a call')
      expectSame(await rows(), before, 'rows')
    },
  ],
])
