import { records, type Entry } from '@keepsake/core'
import { hostileStrings } from '../cases/hostile-strings.ts'
import { shown } from '../cases/rows.ts'
import { expectEqual } from '../expect.ts'
import { modelCasesOf, type MemoryModelCase } from './model-case.ts'
import { watched } from './watched-store.ts'

const keysOf = (entries: readonly Entry<unknown>[]): string[][] => entries.map(({ key }) => key)

export const recordNamespaceCases: MemoryModelCase[] = modelCasesOf('records: namespaces', [
  [
    'a namespace is whole segments: ["t","acme"] does not show ["t","acme-corp"]',
    async ({ store, name }) => {
      const notes = records<number>(store, name())
      const keys = [
        ['t', 'acme', '1'],
        ['t', 'acme-corp', '1'],
        ['t', 'acme'],
        ['t', 'acme\u0001'],
        ['t', 'ACME', '1'],
        ['T', 'acme'],
      ]
      await notes.putMany(keys.map((key, i) => ({ key, value: i })))
      expectEqual(
        keysOf((await notes.list(['t', 'acme'])).items),
        [
          ['t', 'acme'],
          ['t', 'acme', '1'],
        ],
        'one namespace',
      )
      expectEqual((await notes.list(['t'])).items.length, 5, 'the one above')
      expectEqual((await notes.list([])).items.length, 6, 'everything')
      expectEqual((await notes.list([''])).items, [], 'the empty segment')
    },
  ],
  [
    '["a","b:c"], ["a","b","c"] and ["a:b","c"] are three records, listed exactly as given',
    async ({ store, name }) => {
      const notes = records<number>(store, name())
      const keys = [
        ['a', 'b', 'c'],
        ['a', 'b:c'],
        ['a:b', 'c'],
      ]
      await notes.putMany(keys.map((key, i) => ({ key, value: i })))
      expectEqual(keysOf((await notes.list([])).items), keys, 'all')
      expectEqual(
        (await notes.getMany(keys)).map((entry) => entry!.value),
        [0, 1, 2],
        'each',
      )
    },
  ],
  [
    'lists are in the order of the keys, segment by segment, by code points',
    async ({ store, name }) => {
      const notes = records<number>(store, name())
      const keys = [
        [''],
        ['', 'a'],
        ['10'],
        ['2'],
        ['Z'],
        ['a'],
        ['a', ''],
        ['a', 'z'],
        ['a\u0001'],
        ['ab'],
        ['é'],
        ['\uFF5E'],
        ['\u{1F600}'],
      ]
      await notes.putMany(keys.toReversed().map((key, i) => ({ key, value: i })))
      expectEqual(keysOf((await notes.list([])).items), keys, 'all')
    },
  ],
  [
    'every key that can be put can be read, listed, updated and deleted',
    async ({ store, name }) => {
      const notes = records<string>(store, name())
      const keys = hostileStrings.map((text) => ['k', text])
      await notes.putMany(keys.map((key) => ({ key, value: key[1]! })))
      const listed = (await notes.list(['k'], { limit: 1000 })).items
      expectEqual(new Map(listed.map(({ key, value }) => [key[1], value])).size, new Set(hostileStrings).size, 'listed')
      for (const key of keys) {
        expectEqual((await notes.get(key))?.value, key[1], `get ${shown(key[1]!)}`)
        expectEqual((await notes.update(key, (value) => `${value}!`))?.value, `${key[1]}!`, `update ${shown(key[1]!)}`)
        expectEqual((await notes.list(key)).items.length, 1, `list ${shown(key[1]!)}`)
        expectEqual(await notes.delete(key), true, `delete ${shown(key[1]!)}`)
      }
      expectEqual((await notes.list([])).items, [], 'what is left')
    },
  ],
  [
    'prefixes are the namespaces below, at one depth, with records in them',
    async ({ store, name }) => {
      const notes = records<number>(store, name())
      const keys = [
        ['a'],
        ['a', 'x'],
        ['a', 'y', '1'],
        ['a', 'y', '2'],
        ['a-', 'z', '1'],
        ['a:b', 'z'],
        ['b', 'deep', 'er', 'k'],
        ['c'],
        ['a\u0001', 'k'],
      ]
      await notes.putMany(keys.map((key, i) => ({ key, value: i })))
      await notes.put(['gone', 'k'], 1)
      await notes.delete(['gone', 'k'])
      const below = async (prefix: string[], depth?: number) =>
        (await notes.prefixes(prefix, depth === undefined ? {} : { depth })).items
      expectEqual(await below([]), [['a'], ['a\u0001'], ['a-'], ['a:b'], ['b']], 'below everything')
      expectEqual(await below(['a']), [['a', 'y']], 'below a')
      expectEqual(
        await below([], 2),
        [
          ['a', 'y'],
          ['a-', 'z'],
          ['b', 'deep'],
        ],
        'two deep',
      )
      expectEqual(await below(['b'], 2), [['b', 'deep', 'er']], 'two deep below b')
      expectEqual(await below([], 4), [], 'four deep')
      expectEqual(await below(['none']), [], 'below nothing')
    },
  ],
  [
    'prefixes jump: 3 namespaces of 300 records each cost a few rows, page by page too',
    async ({ store, name }) => {
      const spaces = ['a', 'b', 'c']
      await records<number>(store, name()).putMany(
        spaces.flatMap((space) => Array.from({ length: 300 }, (_, i) => ({ key: [space, 'n', String(i)], value: i }))),
      )
      const notes = watched(store)
      const seen: string[][] = []
      for await (const prefix of records(notes.store, name()).prefixes([], { limit: 1 })) seen.push(prefix)
      expectEqual(
        seen,
        spaces.map((space) => [space]),
        'namespaces',
      )
      expectEqual(notes.rowsRead < 20, true, `whether few rows were read (${notes.rowsRead})`)
    },
  ],
])
