import { descending, encodeTuple } from '@keepsake/core'
import { casesOf, type CaseContext, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual } from '../expect.ts'
import { keysOf, put, putKeys, shown } from './rows.ts'

/** Names in the order of their UTF-8 bytes, which is that of their code points. */
const inOrder: readonly string[] = [
  '',
  '\u0001',
  '\u0002',
  ' ',
  '!',
  '-',
  '0',
  '1',
  '10',
  '2',
  'A',
  'B',
  'Z',
  '_',
  'a',
  'a\u0001',
  'a\u0001b',
  'a ',
  'a-',
  'aa',
  'ab',
  'b',
  'e\u0301',
  'z',
  '\u007F',
  '\u0080',
  'Ä',
  'ß',
  'é',
  '\u07FF',
  '\u0800',
  '한',
  '\uD7FF',
  '\uE000',
  'ﬁ',
  '\uFF5E',
  '\uFFFD',
  '\uFFFF',
  '\u{10000}',
  '😀',
  '😀\u{10000}',
  '😁',
  '\u{10FFFF}',
  '\u{10FFFF}\u0001',
]

const neighbours = inOrder.slice(1).map((name, i): readonly [string, string] => [inOrder[i]!, name])

export const orderCases: RowStoreCase[] = casesOf('order', [
  ...neighbours.map(([less, more]): CaseEntry => [
    `key ${shown(less)} comes before ${shown(more)}`,
    (c) => keysCompare(c, less, more),
  ]),
  ...neighbours.map(([less, more]): CaseEntry => [
    `entity ${shown(less)} comes before ${shown(more)}`,
    (c) => entitiesCompare(c, less, more),
  ]),
  [
    'keys of all kinds are in the order of their UTF-8 bytes',
    async ({ store, entity }) => {
      await store.write(putKeys(entity(), inOrder.toReversed()))
      expectEqual(keysOf(await store.scan(entity(), { limit: 100 })), inOrder, 'keys')
    },
  ],
  [
    'entities of all kinds are in the order of their UTF-8 bytes',
    async ({ store, entity }) => {
      await store.write(inOrder.toReversed().map((suffix) => put(entity(suffix), 'k', 1, 'x')))
      const expected = inOrder.map((suffix) => entity(suffix))
      expectEqual(await store.entities({ prefix: entity(), limit: 100 }), expected, 'entities')
    },
  ],
  [
    'a cursor at any key continues with the next one in UTF-8 order',
    async ({ store, entity }) => {
      await store.write(putKeys(entity(), inOrder))
      for (const [i, after] of inOrder.entries()) {
        const found = keysOf(await store.scan(entity(), { after, limit: 100 }))
        expectEqual(found, inOrder.slice(i + 1), `keys after ${shown(after)}`)
      }
    },
  ],
  [
    'the order of keys does not depend on the order of writing',
    async ({ store, entity }) => {
      for (const key of ['m', 'c', 'x', 'a', 'z', 'b']) await store.write([put(entity(), key, 1, key)])
      await store.write([put(entity(), 'c', 2, 'again')])
      expectEqual(keysOf(await store.scan(entity(), { limit: 9 })), ['a', 'b', 'c', 'm', 'x', 'z'], 'keys')
    },
  ],
  [
    'descending numbers put the newest first',
    async ({ store, entity }) => {
      const seqs = [3, 10, 2, 4096, 2 ** 40, 0, 2 ** 53 - 1]
      await store.write(putKeys(entity(), seqs.map(descending)))
      const expected = [2 ** 53 - 1, 2 ** 40, 4096, 10, 3, 2, 0].map(descending)
      expectEqual(keysOf(await store.scan(entity(), { limit: 9 })), expected, 'keys')
    },
  ],
  [
    'tuples are in the order of their segments',
    async ({ store, entity }) => {
      const expected = [[], [''], ['a'], ['a', ''], ['a', 'b'], ['a', 'c'], ['a\0'], ['a '], ['ab'], ['b']].map(
        encodeTuple,
      )
      await store.write(putKeys(entity(), expected.toReversed()))
      expectEqual(keysOf(await store.scan(entity(), { limit: 20 })), expected, 'keys')
    },
  ],
])

async function keysCompare({ store, entity }: CaseContext, less: string, more: string): Promise<void> {
  await store.write(putKeys(entity(), [more, less]))
  expectEqual(keysOf(await store.scan(entity(), { limit: 9 })), [less, more], 'keys')
  expectEqual(keysOf(await store.scan(entity(), { limit: 1 })), [less], 'first key')
  expectEqual(keysOf(await store.scan(entity(), { after: less, limit: 9 })), [more], 'keys after the first')
}

async function entitiesCompare({ store, entity }: CaseContext, less: string, more: string): Promise<void> {
  const prefix = entity()
  const both = [entity(less), entity(more)]
  await store.write([put(entity(more), 'k', 1, 'x'), put(entity(less), 'k', 1, 'x')])
  expectEqual(await store.entities({ prefix, limit: 9 }), both, 'entities')
  expectEqual(await store.entities({ prefix, limit: 1 }), both.slice(0, 1), 'first entity')
  expectEqual(
    await store.entities({ prefix, after: entity(less), limit: 9 }),
    both.slice(1),
    'entities after the first',
  )
}
