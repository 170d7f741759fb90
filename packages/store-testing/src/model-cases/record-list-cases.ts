import { records, type Filter } from '@keepsake/core'
import { expectEqual } from '../expect.ts'
import { expectSame } from './expect-same.ts'
import { modelCasesOf, type MemoryModelCase, type ModelCaseEntry } from './model-case.ts'
import { watched } from './watched-store.ts'

const numbered = (i: number): string[] => ['n', String(i).padStart(4, '0')]

const people = [
  { name: 'Ada', born: '1815-12-10', age: 36, tags: ['math'], dead: true },
  { name: 'Alan', born: '1912-06-23', age: 41, tags: ['math', 'code'], dead: true },
  { name: 'Barbara', born: '1939-11-07', age: 87, tags: ['code'] },
  { name: 'Grace', born: '1906-12-09', age: 85, tags: [], dead: null },
]

/** Filters and who of the people above they find. */
const filters: readonly (readonly [Filter, string[]])[] = [
  [{}, ['Ada', 'Alan', 'Barbara', 'Grace']],
  [{ name: 'Ada' }, ['Ada']],
  [{ age: { $gt: 41 } }, ['Barbara', 'Grace']],
  [{ age: { $gte: 41, $lt: 86 } }, ['Alan', 'Grace']],
  [{ age: { $gt: '41' } }, []],
  [{ born: { $gte: '1900-01-01', $lt: '1913-01-01' } }, ['Alan', 'Grace']],
  [{ 'tags.0': 'math' }, ['Ada', 'Alan']],
  [{ tags: { $in: [['code'], []] } }, ['Barbara', 'Grace']],
  [{ dead: true }, ['Ada', 'Alan']],
  [{ dead: null }, ['Grace']],
  [{ dead: { $exists: false } }, ['Barbara']],
  [{ dead: { $ne: true } }, ['Barbara', 'Grace']],
  [{ $or: [{ name: 'Ada' }, { name: 'Grace' }] }, ['Ada', 'Grace']],
  [{ $not: { tags: [] } }, ['Ada', 'Alan', 'Barbara']],
  [{ "a' OR 1=1 --": 1 }, []],
  [{ 'constructor.name': 'Object' }, []],
]

const filterCases: ModelCaseEntry[] = filters.map(([filter, names]) => [
  `the filter ${JSON.stringify(filter)} finds ${names.join(', ') || 'nobody'}, in lists and in searches`,
  async ({ store, name }) => {
    const notes = records<(typeof people)[number]>(store, name())
    await notes.putMany(people.map((person) => ({ key: ['people', person.name], value: person })))
    const listed = await notes.list(['people'], { filter })
    expectEqual(
      listed.items.map(({ value }) => value.name),
      names,
      'listed',
    )
    const pages: string[] = []
    for await (const entry of notes.list(['people'], { filter, limit: 1 })) pages.push(entry.value.name)
    expectEqual(pages, names, 'listed page by page')
    const math = names.filter((found) => ['Ada', 'Alan'].includes(found))
    const found = await notes.search(['people'], 'math', { filter })
    expectEqual(
      found.items.map(({ value }) => value.name),
      math,
      'searched',
    )
  },
])

export const recordListCases: MemoryModelCase[] = modelCasesOf('records: lists', [
  ...filterCases,
  [
    'pages have at most limit entries, 20 where nothing is said, and the last has no cursor',
    async ({ store, name }) => {
      const notes = records<number>(store, name())
      await notes.putMany(Array.from({ length: 45 }, (_, i) => ({ key: numbered(i), value: i })))
      for (const [limit, sizes] of [
        [undefined, [20, 20, 5]],
        [15, [15, 15, 15]],
        [44, [44, 1]],
        [45, [45]],
        [1000, [45]],
      ] as const) {
        const found: number[] = []
        for (let cursor: string | undefined, done = false; !done;) {
          const page = await notes.list([], { ...(limit && { limit }), ...(cursor !== undefined && { cursor }) })
          found.push(page.items.length)
          cursor = page.cursor
          done = cursor === undefined
        }
        expectEqual(found, sizes, `pages of ${limit}`)
      }
    },
  ],
  [
    'while rows come and go between pages, each that stays is shown exactly once',
    async ({ store, name }) => {
      const notes = records<string>(store, name())
      const stable = Array.from({ length: 60 }, (_, i) => numbered(i * 10))
      await notes.putMany(stable.map((key) => ({ key, value: 'stays' })))
      const seen: string[] = []
      let round = 0
      for (let cursor: string | undefined; ; round++) {
        const page = await notes.list(['n'], { limit: 7, ...(cursor !== undefined && { cursor }) })
        seen.push(...page.items.filter(({ value }) => value === 'stays').map(({ key }) => key[1]!))
        if (page.cursor === undefined) break
        cursor = page.cursor
        // Rows appear before and after the place of the cursor, and those of the round before go again.
        const passing = [1, 301, 599].map((i) => numbered(i + (round % 9)))
        await notes.putMany(passing.map((key) => ({ key, value: 'passes' })))
        for (const key of passing.slice(0, 2)) await notes.delete(key)
        // The very row that the cursor stands on changes.
        await notes.update(page.items.at(-1)!.key, (value) => value)
      }
      expectEqual(
        seen,
        stable.map((key) => key[1]!),
        'what stayed',
      )
      expectEqual(round >= 8, true, 'whether there were many pages')
    },
  ],
  [
    'a page goes on where the record under its cursor was deleted',
    async ({ store, name }) => {
      const notes = records<number>(store, name())
      await notes.putMany([0, 1, 2, 3].map((i) => ({ key: numbered(i), value: i })))
      const first = await notes.list([], { limit: 2 })
      await notes.delete(numbered(1))
      const second = await notes.list([], { limit: 2, cursor: first.cursor! })
      expectEqual(
        second.items.map(({ value }) => value),
        [2, 3],
        'the second page',
      )
    },
  ],
  [
    'a page of 20 reads 21 rows of 600',
    async ({ store, name }) => {
      await records<number>(store, name()).putMany(
        Array.from({ length: 600 }, (_, i) => ({ key: numbered(i), value: i })),
      )
      const notes = watched(store)
      expectEqual((await records(notes.store, name()).list([])).items.length, 20, 'entries')
      expectEqual([notes.rowsRead, notes.calls], [21, 1], 'rows and calls')
    },
  ],
  [
    'for await gives everything, once',
    async ({ store, name }) => {
      const notes = records<number>(store, name())
      await notes.putMany(Array.from({ length: 1100 }, (_, i) => ({ key: numbered(i), value: i })))
      const seen: number[] = []
      for await (const entry of notes.list([])) seen.push(entry.value)
      expectEqual(
        seen,
        Array.from({ length: 1100 }, (_, i) => i),
        'all',
      )
    },
  ],
  [
    'search gives those with most of the words first, then by key, page by page the same',
    async ({ store, name }) => {
      const notes = records<string>(store, name())
      const texts = { a: 'red apple', b: 'green apple pie', c: 'red car', d: 'blue sky', e: 'Red, RED apple!' }
      await notes.putMany(Object.entries(texts).map(([key, value]) => ({ key: [key], value })))
      const found = (await notes.search([], 'red apple')).items
      expectEqual(
        found.map(({ key, score }) => [key[0], score]),
        [
          ['a', 1],
          ['e', 1],
          ['b', 0.5],
          ['c', 0.5],
        ],
        'found',
      )
      const pages: string[] = []
      for (let cursor: string | undefined, page = 0; page < 4; page++) {
        const { items, ...next } = await notes.search([], 'red apple', { limit: 1, ...(cursor && { cursor }) })
        pages.push(...items.map((entry) => entry.key[0]!))
        cursor = next.cursor
        expectEqual(cursor === undefined, page === 3, `whether page ${page} is the last`)
      }
      expectEqual(pages, ['a', 'e', 'b', 'c'], 'page by page')
      expectEqual((await notes.search([], 'nothing like it')).items, [], 'nothing')
      expectEqual((await notes.search([], ' … ')).items.length, 5, 'a query without words lists')
      expectEqual((await notes.search(['a'], 'apple')).items.length, 1, 'below a prefix')
    },
  ],
  [
    'a search that is iterated reads everything once, whatever the limit, and begins at its cursor',
    async ({ store, name }) => {
      const notes = watched(store)
      const mine = records<string>(notes.store, name())
      await mine.putMany(Array.from({ length: 60 }, (_, i) => ({ key: numbered(i), value: 'red apple' })))
      const { cursor } = await mine.search([], 'apple', { limit: 10 })
      notes.rowsRead = 0
      const found: string[] = []
      for await (const { key } of mine.search([], 'apple', { limit: 5, cursor: cursor! })) found.push(key[1]!)
      expectEqual([found.length, found[0], found.at(-1)], [50, '0010', '0059'], 'what is found')
      expectEqual(notes.rowsRead, 60, 'rows that were read')
    },
  ],
  [
    'values of every kind come back as they were',
    async ({ store, name }) => {
      const notes = records<unknown>(store, name())
      const odd: unknown = JSON.parse(
        '{"__proto__":{"a":1},"constructor":1,"list":[-0,0,1e21,5e-324,null,[],{}],"lc":1,"$ref":"#"}',
      )
      const values = [
        null,
        false,
        0,
        -0,
        '',
        'cut \uD83D',
        'a\u0000b',
        [],
        {},
        odd,
        Uint8Array.of(0, 255),
        [1, { v: 1, c: 2 }],
      ]
      await notes.putMany(values.map((value, i) => ({ key: [String(i)], value })))
      for (const [i, value] of values.entries()) {
        const entry = await notes.get([String(i)])
        expectSame([entry!.value], [value], `value ${i}`)
        expectEqual(entry!.key, [String(i)], 'its key')
      }
      expectSame((await notes.list([], { limit: 100 })).items.length, values.length, 'how many are listed')
    },
  ],
])
