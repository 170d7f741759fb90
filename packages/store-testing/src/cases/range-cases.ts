import { encodeTuple, MAX_KEY_BYTES, type Range } from '@keepsake/core'
import { casesOf, type CaseContext, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectRows } from '../expect.ts'
import { keysOf, numberedKeys, put, putKeys, shown } from './rows.ts'

interface RangeLine {
  range: Partial<Range>
  expected: readonly string[]
}

/** What is stored, in order. */
const plain = ['', 'a', 'a%', 'a/b', 'aXc', 'a_c', 'ab', 'abc', 'b', 'ba', 'c']

const plainLines: readonly RangeLine[] = [
  { range: {}, expected: plain },
  { range: { prefix: '' }, expected: plain },
  { range: { prefix: 'a' }, expected: ['a', 'a%', 'a/b', 'aXc', 'a_c', 'ab', 'abc'] },
  { range: { prefix: 'ab' }, expected: ['ab', 'abc'] },
  { range: { prefix: 'abc' }, expected: ['abc'] },
  { range: { prefix: 'abcd' }, expected: [] },
  { range: { prefix: 'A' }, expected: [] },
  { range: { prefix: 'a%' }, expected: ['a%'] },
  { range: { prefix: 'a_' }, expected: ['a_c'] },
  { range: { prefix: 'a/' }, expected: ['a/b'] },
  { range: { prefix: 'b' }, expected: ['b', 'ba'] },
  { range: { prefix: 'd' }, expected: [] },
  { range: { prefix: ' a' }, expected: [] },
  { range: { prefix: 'a ' }, expected: [] },
  { range: { after: '' }, expected: plain.slice(1) },
  { range: { after: 'ab' }, expected: ['abc', 'b', 'ba', 'c'] },
  { range: { after: 'aba' }, expected: ['abc', 'b', 'ba', 'c'] },
  { range: { after: 'abc' }, expected: ['b', 'ba', 'c'] },
  { range: { after: 'abcd' }, expected: ['b', 'ba', 'c'] },
  { range: { after: 'c' }, expected: [] },
  { range: { after: 'zzz' }, expected: [] },
  { range: { prefix: 'ab', after: '' }, expected: ['ab', 'abc'] },
  { range: { prefix: 'ab', after: 'aa' }, expected: ['ab', 'abc'] },
  { range: { prefix: 'ab', after: 'ab' }, expected: ['abc'] },
  { range: { prefix: 'ab', after: 'abb' }, expected: ['abc'] },
  { range: { prefix: 'ab', after: 'abc' }, expected: [] },
  { range: { prefix: 'ab', after: 'b' }, expected: [] },
  { range: { prefix: 'b', after: 'abc' }, expected: ['b', 'ba'] },
  { range: { prefix: 'a%', after: 'a' }, expected: ['a%'] },
  { range: { prefix: 'a%', after: 'a%' }, expected: [] },
  { range: { limit: 1 }, expected: [''] },
  { range: { limit: 3 }, expected: ['', 'a', 'a%'] },
  { range: { limit: 11 }, expected: plain },
  { range: { limit: 12 }, expected: plain },
  { range: { limit: Number.MAX_SAFE_INTEGER }, expected: plain },
  { range: { prefix: 'ab', limit: 1 }, expected: ['ab'] },
  { range: { prefix: 'a', after: 'aXc', limit: 2 }, expected: ['a_c', 'ab'] },
  { range: { after: 'abc', limit: 2 }, expected: ['b', 'ba'] },
]

/** Prefixes in which some query language sees a pattern, with a name that the pattern would match and one that it is. */
const patterns: readonly (readonly [prefix: string, matched: string])[] = [
  ['%', 'a'],
  ['_', 'a'],
  ['a%z', 'abz'],
  ['a_z', 'abz'],
  ['*', 'a'],
  ['?', 'a'],
  ['a*', 'ab'],
  ['a?', 'ab'],
  ['[ab]', 'a'],
  ['[^b]', 'a'],
  ['a.c', 'abc'],
  ['^a', 'a'],
  ['(a|b)', 'a'],
  ['\\%', '%'],
  ['\\_', '_'],
  ['\\', ''],
  ['a\\b', 'ab'],
  ["a'", 'a'],
  ['a:*', 'a:b'],
  ['ä', 'a'],
  ['é', 'e\u0301'],
  ['e\u0301', 'é'],
  ['a', 'A'],
  ['ß', 'ss'],
  ['\uFFFF', '\u{10000}'],
  ['\uD7FF', '\uE000'],
  ['\u{1FFFF}', '\u{20000}'],
  ['\u{10FFFF}', '\uFFFF'],
]

export const rangeCases: RowStoreCase[] = casesOf('ranges', [
  ...plainLines.map((line): CaseEntry => [`scan of ${shownRange(line.range)}`, (c) => scanPlain(c, line)]),
  ...plainLines.map((line): CaseEntry => [`entities of ${shownRange(line.range)}`, (c) => listPlain(c, line)]),
  ...patterns.map(([prefix, matched]): CaseEntry => [
    `prefix ${shown(prefix)} is no pattern: it does not find ${shown(matched)}`,
    (c) => prefixIsNoPattern(c, prefix, matched),
  ]),
  [
    'a prefix of whole segments does not find half a segment',
    async ({ store, entity }) => {
      const keys = [
        ['t', 'acme'],
        ['t', 'acme', 'x'],
        ['t', 'acme-corp'],
        ['t', 'acme corp', 'x'],
        ['t', 'acm'],
        ['ta', 'cme'],
      ]
      await store.write(putKeys(entity(), keys.map(encodeTuple)))
      const found = keysOf(await store.scan(entity(), { prefix: encodeTuple(['t', 'acme']), limit: 9 }))
      expectEqual(
        found,
        [
          ['t', 'acme'],
          ['t', 'acme', 'x'],
        ].map(encodeTuple),
        'keys',
      )
    },
  ],
  [
    'a prefix finds whatever character follows it',
    async ({ store, entity }) => {
      const following = [
        '',
        '\u0001',
        ' ',
        '~',
        'é',
        '\uD7FF',
        '\uE000',
        '\uF8FF',
        '\uFFFF',
        '😀',
        '\u{10FFFF}',
        '\u{10FFFF}z',
      ]
      await store.write(putKeys(entity('e'), [...following.map((next) => `a${next}`), 'A', 'b']))
      const keys = following.map((next) => `a${next}`)
      expectEqual(keysOf(await store.scan(entity('e'), { prefix: 'a', limit: 20 })), keys, 'keys')
      await store.write(keys.map((key) => put(entity(key), 'k', 1, 'x')))
      const found = await store.entities({ prefix: entity('a'), limit: 20 })
      expectEqual(
        found,
        keys.map((key) => entity(key)),
        'entities',
      )
    },
  ],
  [
    'a prefix of the greatest length finds its own key',
    async ({ store, entity }) => {
      const key = '\u{10FFFF}'.repeat(MAX_KEY_BYTES / 4)
      await store.write(putKeys(entity(), [key, '\u{10FFFF}']))
      expectEqual(keysOf(await store.scan(entity(), { prefix: key, limit: 9 })), [key], 'keys')
    },
  ],
  [
    'entities after a name that has no rows, without a prefix',
    async ({ store, entity }) => {
      await store.write([put(entity('b'), 'k', 1, 'x'), put(entity('a'), 'k', 1, 'x')])
      expectEqual(await store.entities({ after: entity(), limit: 2 }), [entity('a'), entity('b')], 'entities')
    },
  ],
  [
    'a scan stays within its entity',
    async ({ store, entity }) => {
      const names = ['e', 'E', 'e ', 'e%', 'ee', 'e\u0001', '']
      await store.write(names.map((name) => put(entity(name), 'k', 1, name)))
      for (const name of names) {
        expectRows(await store.scan(entity(name), { limit: 9 }), [put(entity(name), 'k', 1, name)], shown(name))
      }
    },
  ],
  [
    'a scan of an entity without rows is empty',
    async ({ store, entity }) => {
      expectRows(await store.scan(entity('none'), { limit: 9 }), [])
      expectEqual(await store.entities({ prefix: entity('none'), limit: 9 }), [], 'entities')
    },
  ],
  [
    'a scan gives whole rows, tombstones and expired ones too',
    async ({ store, entity }) => {
      const rows = [
        put(entity(), 'a', 0, 'a', { updatedAtMs: 0 }),
        put(entity(), 'b', 7, '', { updatedAtMs: 1 }),
        put(entity(), 'c', 8, 'c', { updatedAtMs: 2, expiresAtMs: 4_000_000_000_000 }),
      ]
      await store.write(rows)
      expectRows(await store.scan(entity(), { limit: 9 }), rows)
    },
  ],
  [
    'an entity with many rows is listed once',
    async ({ store, entity }) => {
      await store.write([...putKeys(entity('a'), numberedKeys(300)), ...putKeys(entity('b'), numberedKeys(300))])
      expectEqual(await store.entities({ prefix: entity(), limit: 9 }), [entity('a'), entity('b')], 'entities')
      expectEqual(await store.entities({ prefix: entity(), limit: 1 }), [entity('a')], 'first entity')
    },
  ],
])

async function scanPlain({ store, entity }: CaseContext, { range, expected }: RangeLine): Promise<void> {
  await store.write(putKeys(entity(), plain))
  expectEqual(keysOf(await store.scan(entity(), { limit: 100, ...range })), expected, 'keys')
}

async function listPlain({ store, entity }: CaseContext, { range, expected }: RangeLine): Promise<void> {
  await store.write(plain.map((suffix) => put(entity(suffix), 'k', 1, 'x')))
  const { prefix = '', after, limit = 100 } = range
  const found = await store.entities({
    prefix: entity() + prefix,
    ...(after !== undefined && { after: entity() + after }),
    limit,
  })
  expectEqual(
    found,
    expected.map((suffix) => entity(suffix)),
    'entities',
  )
}

async function prefixIsNoPattern({ store, entity }: CaseContext, prefix: string, matched: string): Promise<void> {
  const own = `${prefix}1`
  await store.write(putKeys(entity(), [own, matched]))
  expectEqual(keysOf(await store.scan(entity(), { prefix, limit: 9 })), [own], 'keys')
  await store.write([put(entity(own), 'k', 1, 'x'), put(entity(matched), 'k', 1, 'x')])
  expectEqual(await store.entities({ prefix: entity() + prefix, limit: 9 }), [entity(own)], 'entities')
}

function shownRange({ prefix, after, limit }: Partial<Range>): string {
  const parts = [
    prefix !== undefined && `prefix ${shown(prefix)}`,
    after !== undefined && `after ${shown(after)}`,
    limit !== undefined && `limit ${limit}`,
  ].filter((part) => part !== false)
  return parts.length === 0 ? 'everything' : parts.join(', ')
}
