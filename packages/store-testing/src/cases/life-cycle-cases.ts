import type { RowStore } from '@keepsake/core'
import { casesOf, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectError, expectResults, expectRows } from '../expect.ts'
import { together } from '../together.ts'
import { put, putKeys } from './rows.ts'

const calls: readonly (readonly [method: string, call: (store: RowStore, entity: string) => Promise<unknown>])[] = [
  ['load', (store, entity) => store.load([{ entity, key: 'k' }])],
  ['scan', (store, entity) => store.scan(entity, { limit: 1 })],
  ['entities', (store) => store.entities({ limit: 1 })],
  ['write', (store, entity) => store.write([put(entity, 'k', 1, 'x')])],
  ['remove', (store, entity) => store.remove([{ entity, key: 'k' }])],
  ['removeEntity', (store, entity) => store.removeEntity(entity)],
  ['provision', (store) => store.provision()],
  ['verify', (store) => store.verify()],
]

export const lifeCycleCases: RowStoreCase[] = casesOf('life cycle', [
  [
    'provisioning again keeps what is stored',
    async ({ store, entity }) => {
      const rows = putKeys(entity(), ['a', 'b'])
      await store.write(rows)
      await store.provision()
      await store.provision()
      expectRows(await store.scan(entity(), { limit: 9 }), rows)
    },
  ],
  [
    'eight provision at once',
    async ({ store, entity }) => {
      await together(Array.from({ length: 8 }, () => store.provision()))
      await store.verify()
      expectResults(await store.write([put(entity(), 'k', 1, 'x')]), ['applied'])
    },
  ],
  [
    'two stores provision at once',
    async ({ open }) => {
      const stores = [await open(), await open()]
      await together(stores.map((store) => store.provision()))
      await together(stores.map((store) => store.verify()))
    },
  ],
  ['a provisioned store verifies', async ({ store }) => store.verify()],
  [
    'close may be called twice, also at once',
    async ({ open }) => {
      const store = await open()
      await together([store.close(), store.close()])
      await store.close()
    },
  ],
  [
    'disposing closes',
    async ({ open, entity }) => {
      const store = await open()
      await store[Symbol.asyncDispose]()
      await expectError(store.load([{ entity: entity(), key: 'k' }]), 'unavailable', 'load')
      await store.close()
    },
  ],
  [
    'a store that was never used closes',
    async ({ open }) => {
      const store = await open()
      await store.close()
    },
  ],
  [
    'closing one store leaves the others open',
    async ({ store, open, entity }) => {
      const other = await open()
      await other.close()
      expectResults(await store.write([put(entity(), 'k', 1, 'x')]), ['applied'])
    },
  ],
  [
    'close waits for what is under way',
    async ({ open, entity }) => {
      const store = await open()
      await store.provision()
      let under = 5
      const writes = Array.from({ length: under }, async (_, i) => {
        const [result] = await store.write([put(entity(), `k${i}`, 1, 'x')])
        under--
        return result!
      })
      await store.close()
      // A caller hears of its write some promise turns later than the store.
      await new Promise((resolve) => setTimeout(resolve, 0))
      await new Promise((resolve) => setTimeout(resolve, 0))
      expectEqual(under, 0, 'writes that had not ended when close did')
      expectResults(
        await together(writes),
        writes.map(() => 'applied' as const),
      )
    },
  ],
  ...calls.map(([method, call]): CaseEntry => [
    `${method} after close rejects with unavailable`,
    async ({ open, entity }) => {
      const store = await open()
      await store.provision()
      await store.close()
      await expectError(call(store, entity()), 'unavailable', method)
    },
  ]),
])
