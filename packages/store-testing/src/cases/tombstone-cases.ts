import { casesOf, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectResults, expectRows } from '../expect.ts'
import { keysOf, put, putKeys } from './rows.ts'

export const tombstoneCases: RowStoreCase[] = casesOf('tombstones', [
  [
    'a tombstone is loaded and scanned as a row with an empty record',
    async ({ store, entity }) => {
      const tombstone = put(entity(), 'k', 5, '')
      await store.write([put(entity(), 'k', 4, 'alive'), tombstone])
      expectRows(await store.load([tombstone]), [tombstone], 'load')
      expectRows(await store.scan(entity(), { limit: 9 }), [tombstone], 'scan')
    },
  ],
  [
    'a tombstone over nothing is kept',
    async ({ store, entity }) => {
      const tombstone = put(entity(), 'k', 5, '', { guard: 'absent' })
      expectResults(await store.write([tombstone]), ['applied'])
      expectRows(await store.load([tombstone]), [tombstone])
    },
  ],
  [
    'a tombstone keeps both its times',
    async ({ store, entity }) => {
      const tombstone = put(entity(), 'k', 5, '', { updatedAtMs: 123, expiresAtMs: 4_000_000_000_000 })
      await store.write([put(entity(), 'k', 4, 'alive'), tombstone])
      expectRows(await store.scan(entity(), { limit: 9 }), [tombstone])
    },
  ],
  [
    'an entity that has only tombstones is listed',
    async ({ store, entity }) => {
      await store.write([put(entity('gone'), 'k', 5, '')])
      expectEqual(await store.entities({ prefix: entity(), limit: 9 }), [entity('gone')], 'entities')
    },
  ],
  [
    'the limit of a scan counts tombstones',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'a', 1, ''), put(entity(), 'b', 1, ''), put(entity(), 'c', 1, 'c')])
      expectEqual(keysOf(await store.scan(entity(), { limit: 2 })), ['a', 'b'], 'keys')
    },
  ],
  [
    'a removed row is made again with { seq } of its tombstone',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 4, 'first'), put(entity(), 'k', 5, '')])
      const again = put(entity(), 'k', 6, 'second', { guard: { seq: 5 } })
      expectResults(await store.write([again]), ['applied'])
      expectRows(await store.load([again]), [again])
      expectResults(await store.write([put(entity(), 'k', 4, 'first')]), [6], 'late duplicate of the first')
      expectResults(await store.write([put(entity(), 'k', 5, '')]), [6], 'late duplicate of the tombstone')
    },
  ],
  [
    'a claim does not take the place of a tombstone',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 5, '')])
      expectResults(await store.write([put(entity(), 'k', 6, 'claim', { guard: 'absent' })]), [5])
      expectRows(await store.load([{ entity: entity(), key: 'k' }]), [put(entity(), 'k', 5, '')])
    },
  ],
  [
    'a late duplicate does not bring the dead back',
    async ({ store, entity }) => {
      const alive = put(entity(), 'k', 4, 'alive')
      await store.write([alive])
      await store.write([put(entity(), 'k', 5, '')])
      expectResults(await store.write([alive]), [5])
      expectRows(await store.load([alive]), [put(entity(), 'k', 5, '')])
    },
  ],
  [
    'removed and made again ten times, every old write stays stale',
    async ({ store, entity }) => {
      let seq = 0
      for (let round = 0; round < 10; round++) {
        await store.write([put(entity(), 'k', seq + 1, 'alive', { guard: seq === 0 ? 'absent' : { seq } })])
        await store.write([put(entity(), 'k', seq + 2, '', { guard: { seq: seq + 1 } })])
        seq += 2
        expectResults(await store.write([put(entity(), 'k', seq - 1, 'alive')]), [seq], `round ${round}`)
      }
      expectRows(await store.load([{ entity: entity(), key: 'k' }]), [put(entity(), 'k', 20, '')])
    },
  ],
  [
    'remove takes tombstones away and counts them',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'a', 5, ''), put(entity(), 'b', 5, ''), put(entity(), 'c', 5, '')])
      expectEqual(
        await store.remove([
          { entity: entity(), key: 'a' },
          { entity: entity(), key: 'b', seq: 5 },
        ]),
        2,
        'remove',
      )
      expectEqual(keysOf(await store.scan(entity(), { limit: 9 })), ['c'], 'keys that are left')
      expectEqual(await store.removeEntity(entity()), 1, 'removeEntity')
    },
  ],
  [
    'after remove nothing guards the key',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 5, '')])
      await store.remove([{ entity: entity(), key: 'k' }])
      expectResults(await store.write([put(entity(), 'k', 6, 'x', { guard: { seq: 5 } })]), [-1])
      expectResults(await store.write([put(entity(), 'k', 1, 'x', { guard: 'absent' })]), ['applied'])
    },
  ],
  [
    'tombstones among living rows keep their places',
    async ({ store, entity }) => {
      await store.write(putKeys(entity(), ['a', 'b', 'c', 'd']))
      await store.write([put(entity(), 'b', 2, ''), put(entity(), 'd', 2, '')])
      expectRows(await store.scan(entity(), { limit: 9 }), [
        put(entity(), 'a', 1, 'a'),
        put(entity(), 'b', 2, ''),
        put(entity(), 'c', 1, 'c'),
        put(entity(), 'd', 2, ''),
      ])
    },
  ],
])
