import { casesOf, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectRows } from '../expect.ts'
import { numberedKeys, put, putKeys } from './rows.ts'

export const loadCases: RowStoreCase[] = casesOf('load', [
  [
    'rows come in the order of the ids',
    async ({ store, entity }) => {
      const rows = putKeys(entity(), ['a', 'b', 'c', 'd'])
      await store.write(rows)
      const asked = [rows[2]!, rows[0]!, rows[3]!, rows[1]!]
      expectRows(await store.load(asked), asked)
    },
  ],
  [
    'what is not there is undefined, in its place',
    async ({ store, entity }) => {
      const row = put(entity(), 'b', 1, 'b')
      await store.write([row])
      const ids = ['a', 'b', 'c'].map((key) => ({ entity: entity(), key }))
      expectRows(await store.load(ids), [undefined, row, undefined])
    },
  ],
  [
    'nothing there at all',
    async ({ store, entity }) => {
      const ids = ['a', 'b'].map((key) => ({ entity: entity('none'), key }))
      expectRows(await store.load(ids), [undefined, undefined])
    },
  ],
  [
    'an id that is asked twice comes twice',
    async ({ store, entity }) => {
      const row = put(entity(), 'a', 1, 'a')
      const missing = { entity: entity(), key: 'b' }
      await store.write([row])
      expectRows(await store.load([row, missing, row, missing, row]), [row, undefined, row, undefined, row])
    },
  ],
  [
    'rows of several entities, mixed',
    async ({ store, entity }) => {
      const rows = ['a', 'b', 'c'].flatMap((e) => putKeys(entity(e), ['k', 'l']))
      await store.write(rows)
      const asked = [rows[5]!, rows[0]!, rows[3]!, rows[2]!, rows[4]!, rows[1]!]
      expectRows(await store.load(asked), asked)
    },
  ],
  [
    'an id may carry more than entity and key',
    async ({ store, entity }) => {
      const row = put(entity(), 'k', 1, 'x')
      await store.write([row])
      const wider = { ...row, seq: 99 }
      expectRows(await store.load([wider]), [row])
    },
  ],
  [
    '3000 ids in one call, every third of them stored',
    async ({ store, entity }) => {
      const keys = numberedKeys(3000)
      const rows = putKeys(
        entity(),
        keys.filter((_, i) => i % 3 === 0),
      )
      await store.write(rows)
      const found = await store.load(keys.map((key) => ({ entity: entity(), key })))
      expectEqual(found.length, 3000, 'how many answers')
      expectRows(
        found.filter((_, i) => i % 3 === 0),
        rows,
      )
      expectEqual(found.filter((row) => row !== undefined).length, 1000, 'how many rows')
    },
  ],
])
