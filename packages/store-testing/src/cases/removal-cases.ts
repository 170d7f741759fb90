import { casesOf, type CaseContext, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectResults, expectRows } from '../expect.ts'
import { keysOf, numberedKeys, put, putKeys, shown } from './rows.ts'

/** With a row at seq 5: what is removed by name and seq, and how many go. */
const removals: readonly (readonly [what: string, key: string, seq: number | undefined, count: number])[] = [
  ['without a seq', 'k', undefined, 1],
  ['with its seq', 'k', 5, 1],
  ['with an older seq', 'k', 4, 0],
  ['with a newer seq', 'k', 6, 0],
  ['with seq 0', 'k', 0, 0],
  ['of a key that is not there', 'l', undefined, 0],
  ['of a key that is not there, with a seq', 'l', 5, 0],
  ['of its key in another case', 'K', undefined, 0],
  ['of its key and a space', 'k ', undefined, 0],
  ['of the empty key', '', undefined, 0],
  ['of a pattern', '%', undefined, 0],
]

/** Names that are not `e`, though some database might think so. */
const otherEntities = ['', 'E', 'e ', ' e', 'ee', 'e%', 'e_', 'e*', '%', '_', 'e\u0001', 'e/', 'é', 'e\u0301']

export const removalCases: RowStoreCase[] = casesOf('removal', [
  ...removals.map(([what, key, seq, count]): CaseEntry => [
    `remove ${what}`,
    async ({ store, entity }) => {
      const row = put(entity(), 'k', 5, 'x')
      await store.write([row])
      const id = { entity: entity(), key, ...(seq !== undefined && { seq }) }
      expectEqual(await store.remove([id]), count, 'how many went')
      expectRows(await store.load([row]), [count === 1 ? undefined : row])
    },
  ]),
  ...otherEntities.map((other): CaseEntry => [
    `removeEntity of e spares entity ${shown(other)}`,
    (c) => removeEntitySpares(c, other),
  ]),
  [
    'remove of a row with seq 0 that names it',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 0, 'x')])
      expectEqual(await store.remove([{ entity: entity(), key: 'k', seq: 0 }]), 1, 'how many went')
    },
  ],
  [
    'a row that is named twice in one remove counts once',
    async ({ store, entity }) => {
      await store.write(putKeys(entity(), ['a', 'b']))
      const a = { entity: entity(), key: 'a' }
      expectEqual(await store.remove([a, a, { ...a, seq: 1 }, { ...a, seq: 2 }]), 1, 'how many went')
      expectEqual(keysOf(await store.scan(entity(), { limit: 9 })), ['b'], 'keys that are left')
    },
  ],
  [
    'a row that is named with a wrong seq and then without goes',
    async ({ store, entity }) => {
      await store.write(putKeys(entity(), ['a']))
      const a = { entity: entity(), key: 'a' }
      expectEqual(await store.remove([{ ...a, seq: 7 }, a]), 1, 'how many went')
    },
  ],
  [
    'remove over several entities, with and without seqs, some missing',
    async ({ store, entity }) => {
      await store.write([put(entity('a'), 'k', 1, 'x'), put(entity('b'), 'k', 2, 'x'), put(entity('c'), 'k', 3, 'x')])
      const ids = [
        { entity: entity('a'), key: 'k', seq: 1 },
        { entity: entity('b'), key: 'k', seq: 1 },
        { entity: entity('c'), key: 'k' },
        { entity: entity('d'), key: 'k' },
      ]
      expectEqual(await store.remove(ids), 2, 'how many went')
      expectEqual(await store.entities({ prefix: entity(), limit: 9 }), [entity('b')], 'entities that are left')
    },
  ],
  [
    'remove spares the neighbours of a row',
    async ({ store, entity }) => {
      await store.write(putKeys(entity(), ['', 'a', 'a\u0001', 'a ', 'ab', 'A', 'á', 'b']))
      expectEqual(await store.remove([{ entity: entity(), key: 'a' }]), 1, 'how many went')
      const left = ['', 'A', 'a\u0001', 'a ', 'ab', 'b', 'á']
      expectEqual(keysOf(await store.scan(entity(), { limit: 9 })), left, 'keys that are left')
    },
  ],
  [
    'an entity whose last row was removed is no longer listed',
    async ({ store, entity }) => {
      await store.write(putKeys(entity('e'), ['a', 'b']))
      await store.remove([{ entity: entity('e'), key: 'a' }])
      expectEqual(await store.entities({ prefix: entity(), limit: 9 }), [entity('e')], 'with one row left')
      await store.remove([{ entity: entity('e'), key: 'b' }])
      expectEqual(await store.entities({ prefix: entity(), limit: 9 }), [], 'with none left')
    },
  ],
  [
    'an entity that was removed and is written again is listed again',
    async ({ store, entity }) => {
      await store.write(putKeys(entity('e'), ['a']))
      await store.removeEntity(entity('e'))
      expectResults(await store.write([put(entity('e'), 'b', 1, 'b', { guard: 'absent' })]), ['applied'])
      expectEqual(await store.entities({ prefix: entity(), limit: 9 }), [entity('e')], 'entities')
      expectEqual(keysOf(await store.scan(entity('e'), { limit: 9 })), ['b'], 'keys')
    },
  ],
  [
    'after remove an older row can be written',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 9, 'new')])
      await store.remove([{ entity: entity(), key: 'k' }])
      expectResults(await store.write([put(entity(), 'k', 1, 'old')]), ['applied'])
      expectRows(await store.load([{ entity: entity(), key: 'k' }]), [put(entity(), 'k', 1, 'old')])
    },
  ],
  [
    'removeEntity of an entity without rows is 0',
    async ({ store, entity }) => expectEqual(await store.removeEntity(entity('none')), 0, 'how many went'),
  ],
  [
    'removeEntity counts rows, tombstones and rows that expire',
    async ({ store, entity }) => {
      await store.write([
        put(entity(), 'a', 1, 'x'),
        put(entity(), 'b', 1, ''),
        put(entity(), 'c', 1, 'x', { expiresAtMs: 4_000_000_000_000 }),
        put(entity(), '', 1, 'x'),
      ])
      expectEqual(await store.removeEntity(entity()), 4, 'how many went')
      expectRows(await store.scan(entity(), { limit: 9 }), [])
      expectEqual(await store.entities({ prefix: entity(), limit: 9 }), [], 'entities')
    },
  ],
  [
    'removeEntity takes all rows, however many',
    async ({ store, entity }) => {
      await store.write(putKeys(entity('e'), numberedKeys(2600)))
      expectEqual(await store.removeEntity(entity('e')), 2600, 'how many went')
      expectRows(await store.scan(entity('e'), { limit: 9 }), [])
      expectEqual(await store.entities({ prefix: entity(), limit: 9 }), [], 'entities')
    },
  ],
])

async function removeEntitySpares({ store, entity }: CaseContext, other: string): Promise<void> {
  const kept = put(entity(other), 'k', 1, 'kept')
  await store.write([put(entity('e'), 'k', 1, 'x'), kept])
  expectEqual(await store.removeEntity(entity('e')), 1, 'how many went')
  expectRows(await store.load([{ entity: entity('e'), key: 'k' }, kept]), [undefined, kept])
}
