import type { Filter } from '@keepsake/core'
import { expectEqual, expectError } from '../expect.ts'
import { documentsOf, found, searchCasesOf, type SearchCaseEntry, type SearchIndexCase } from './search-index-case.ts'

const people = [
  { name: 'Ada', age: 36, tags: ['math'], born: '1815-12-10', dead: true },
  { name: 'Alan', age: 41, tags: ['math', 'code'], born: '1912-06-23', dead: true },
  { name: 'Barbara', age: 87, tags: ['code'], born: '1939-11-07' },
  { name: 'Grace', age: 85, tags: [], born: '1906-12-09', dead: null },
]

/** Filters and whom of the people above they find. */
const filters: readonly (readonly [Filter, string[]])[] = [
  [{}, ['Ada', 'Alan', 'Barbara', 'Grace']],
  [{ name: 'Ada' }, ['Ada']],
  [{ name: { $eq: 'Ada' } }, ['Ada']],
  [{ name: { $ne: 'Ada' } }, ['Alan', 'Barbara', 'Grace']],
  [{ age: { $gt: 41 } }, ['Barbara', 'Grace']],
  [{ age: { $gte: 41, $lt: 86 } }, ['Alan', 'Grace']],
  [{ age: { $lte: 36 } }, ['Ada']],
  [{ age: { $gt: '41' } }, []],
  [{ born: { $gte: '1900-01-01', $lt: '1913-01-01' } }, ['Alan', 'Grace']],
  [{ 'tags.0': 'math' }, ['Ada', 'Alan']],
  [{ tags: { $in: [['code'], []] } }, ['Barbara', 'Grace']],
  [{ name: { $nin: ['Ada', 'Grace'] } }, ['Alan', 'Barbara']],
  [{ dead: null }, ['Grace']],
  [{ dead: { $exists: false } }, ['Barbara']],
  [{ dead: { $ne: true } }, ['Barbara', 'Grace']],
  [{ $or: [{ name: 'Ada' }, { name: 'Grace' }] }, ['Ada', 'Grace']],
  [{ $and: [{ dead: true }, { age: { $gt: 40 } }] }, ['Alan']],
  [{ $not: { tags: [] } }, ['Ada', 'Alan', 'Barbara']],
  [{ "a' OR 1=1 --": 1 }, []],
  [{ 'constructor.name': 'Object' }, []],
]

export const keepingCases: SearchIndexCase[] = searchCasesOf('what is found', [
  ...filters.map(([filter, names]): SearchCaseEntry => [
    `the filter ${JSON.stringify(filter)} finds ${names.join(', ') || 'nobody'}`,
    async ({ index, scope }) => {
      await index.index(
        scope(),
        people.map((value) => ({ id: value.name, text: 'person', value })),
      )
      expectEqual(await found(index, scope(), 'person', { filter }), names, 'found')
    },
  ]),

  [
    'a filter that few meet still finds as many as there are',
    async ({ index, scope }) => {
      const documents = Array.from({ length: 600 }, (_, n) => ({
        id: String(n).padStart(3, '0'),
        text: n < 590 ? 'amber amber stone' : 'an amber ring that was lost in the long grass behind the old house',
        value: { n },
      }))
      await index.index(scope(), documents)
      expectEqual(
        await found(index, scope(), 'amber', { filter: { n: { $gte: 595 } } }),
        ['595', '596', '597', '598', '599'],
        'found',
      )
    },
  ],

  [
    'an unknown operator, a wrong limit and a query that is no text are refused',
    async ({ index, scope }) => {
      const refuse = async (query: object, what: string): Promise<void> => {
        await expectError(index.query(scope(), { text: 'a', limit: 1, ...query }), 'invalid_value', what)
      }
      await refuse({ filter: { age: { $near: 3 } } }, '$near')
      await refuse({ filter: { $nor: [] } }, '$nor')
      await refuse({ filter: { age: undefined } }, 'undefined')
      await refuse({ limit: 0 }, 'no hits')
      await refuse({ limit: 1.5 }, 'half a hit')
      await refuse({ text: 7 }, 'a number')
      await refuse({ recency: { weight: -1, halfLifeMs: 1, nowMs: 1 } }, 'a negative weight')
      await refuse({ recency: { weight: 1, halfLifeMs: 0, nowMs: 1 } }, 'no half-life')
    },
  ],

  [
    'a prefix takes ids as they are: no character of it is a pattern',
    async ({ index, scope }) => {
      const ids = ['a%', 'a%b', 'ab', 'a_', 'a_b', 'A%', 'a*', "a'", 'b']
      await index.index(
        scope(),
        ids.map((id) => ({ id, text: 'kite' })),
      )
      expectEqual(await found(index, scope(), 'kite', { prefix: 'a%' }), ['a%', 'a%b'], 'a%')
      expectEqual(await found(index, scope(), 'kite', { prefix: 'a_' }), ['a_', 'a_b'], 'a_')
      expectEqual(await found(index, scope(), 'kite', { prefix: "a'" }), ["a'"], 'a quote')
      expectEqual(await found(index, scope(), 'kite', { prefix: 'a', limit: 3 }), ['a%', 'a%b', "a'"], 'a')
      expectEqual(await found(index, scope(), 'kite', { prefix: 'c' }), [], 'c')
    },
  ],

  [
    'no scope sees another, however alike their names are',
    async ({ index, scope }) => {
      const scopes = ['', ' ', 'a', 'A', 'a%', 'a_', 'ab', 'a\u0001b', 'a\u0001']
      for (const one of scopes) await index.index(scope(one), [{ id: one, text: 'secret plan' }])
      for (const one of scopes) expectEqual(await found(index, scope(one), 'secret'), [one], JSON.stringify(one))
      await index.clear(scope('a'))
      for (const one of scopes) {
        expectEqual(await found(index, scope(one), 'secret'), one === 'a' ? [] : [one], `after: ${JSON.stringify(one)}`)
      }
    },
  ],

  [
    'indexing an id again replaces it; the last of equal ids in a call counts',
    async ({ index, scope }) => {
      await index.index(scope(), documentsOf({ a: 'a red boat', b: 'a red car' }))
      await index.index(scope(), documentsOf({ a: 'a green house' }))
      expectEqual(await found(index, scope(), 'red'), ['b'], 'red')
      expectEqual(await found(index, scope(), 'green boat'), ['a'], 'green')
      await index.index(scope(), [
        { id: 'c', text: 'first draft' },
        { id: 'c', text: 'final version' },
      ])
      expectEqual(await found(index, scope(), 'draft'), [], 'draft')
      expectEqual(await found(index, scope(), 'final'), ['c'], 'final')
    },
  ],

  [
    'an older version never replaces a newer one, nor one that a newer one removed',
    async ({ index, scope }) => {
      await index.index(scope(), [{ id: 'a', text: 'newer', seq: 2 ** 52 + 2 }])
      await index.index(scope(), [{ id: 'a', text: 'older', seq: 2 ** 52 + 1 }])
      expectEqual(await found(index, scope(), 'older'), [], 'older')
      await index.remove(scope(), [{ id: 'a', seq: 2 ** 52 + 1 }])
      expectEqual(
        await index.query(scope(), { text: 'newer', limit: 1 }).then((hits) => hits[0]?.seq),
        2 ** 52 + 2,
        'newer',
      )
      await index.remove(scope(), [{ id: 'a', seq: 2 ** 52 + 3 }])
      await index.index(scope(), [{ id: 'a', text: 'late', seq: 2 ** 52 + 2 }])
      expectEqual(await found(index, scope(), 'late newer'), [], 'late')
      await index.index(scope(), [{ id: 'a', text: 'returned', seq: 2 ** 52 + 4 }])
      expectEqual(await found(index, scope(), 'returned'), ['a'], 'returned')
    },
  ],

  [
    'what is removed is not found, and removing it again or what never was does nothing',
    async ({ index, scope }) => {
      await index.index(scope(), documentsOf({ a: 'a red boat', b: 'a red car' }))
      await index.remove(scope(), [{ id: 'a' }, { id: 'a' }, { id: 'never' }])
      await index.remove(scope('nowhere'), [{ id: 'a' }])
      expectEqual(await found(index, scope(), 'red'), ['b'], 'found')
    },
  ],

  [
    'many changes leave what is there, and only that',
    async ({ index, scope }) => {
      for (let round = 0; round < 8; round++) {
        await index.index(
          scope(),
          Array.from({ length: 300 }, (_, n) => ({
            id: `${n}`,
            text: `round${round} item${n}`,
            session: `${n % 5}`,
            position: n,
          })),
        )
      }
      await index.remove(
        scope(),
        Array.from({ length: 290 }, (_, n) => ({ id: `${n}` })),
      )
      expectEqual(await found(index, scope(), 'round6', { limit: 400 }), [], 'an old round')
      expectEqual((await found(index, scope(), 'round7', { limit: 400 })).length, 10, 'the last round')
      expectEqual((await found(index, scope(), 'item295'))[0], '295', 'one')
      expectEqual((await index.versions(scope())).size, 10, 'versions')
    },
  ],

  [
    'says which versions it holds, and whether a scope was built, until it is cleared',
    async ({ index, scope }) => {
      await index.index(scope(), [
        { id: 'a', text: 'x', seq: 7 },
        { id: 'b', text: '' },
      ])
      const versions = await index.versions(scope())
      expectEqual([versions.size, versions.get('a'), versions.get('b') ?? 'none'], [2, 7, 'none'], 'versions')
      expectEqual(await index.isBuilt(scope()), false, 'built')
      await index.markBuilt(scope())
      expectEqual(await index.isBuilt(scope()), true, 'built')
      expectEqual(await index.isBuilt(scope('another')), false, 'another built')
      await index.clear(scope())
      expectEqual(await index.isBuilt(scope()), false, 'built')
      expectEqual([...(await index.versions(scope()))], [], 'versions')
    },
  ],

  [
    'a signal that has fired ends a call before it begins',
    async ({ index, scope }) => {
      const signal = AbortSignal.abort()
      await expectError(index.index(scope(), documentsOf({ a: 'x' }), { signal }), 'aborted', 'index')
      await expectError(index.query(scope(), { text: 'x', limit: 1 }, { signal }), 'aborted', 'query')
      expectEqual([...(await index.versions(scope()))], [], 'versions')
    },
  ],

  [
    'many who write the same documents at once, in different orders, all come through',
    async ({ index, scope }) => {
      const documents = documentsOf(Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`d${n}`, `boat ${n}`])))
      const writers = Array.from({ length: 6 }, async (_, n) => {
        for (let round = 0; round < 5; round++)
          await index.index(scope(), n % 2 === 0 ? documents : documents.toReversed())
      })
      await Promise.all(writers)
      expectEqual((await index.versions(scope())).size, 60, 'documents')
    },
  ],
])
