import { expect, it, vi } from 'vitest'
import { defineStore, type StoreParts } from '../src/rows/define-store.ts'
import type { RowStore } from '../src/rows/row-store.ts'
import { caughtAs } from './caught.ts'

const parts: StoreParts = {
  name: 'test',
  limits: { maxRecBytes: 2, maxBatchRows: 1, atomicBatch: false },
  load: () => [],
  scan: () => [],
  entities: () => [],
  write: () => [],
  remove: () => 0,
  removeEntity: () => 0,
  provision() {},
  verify() {},
  close() {},
}

const row = { entity: 'e', key: 'k', seq: 1, rec: Uint8Array.of(1), updatedAtMs: 1 }

it.each<[method: string, call: (store: RowStore) => Promise<unknown>, message: string]>([
  ['load', (store) => store.load([{ entity: 'e', key: '\0' }]), 'invalid_key: ids[0].key holds U+0000'],
  ['scan', (store) => store.scan('\0', { limit: 1 }), 'invalid_key: entity holds U+0000'],
  ['scan', (store) => store.scan('e', { limit: 0 }), 'invalid_value: range.limit must be a whole number from 1'],
  ['entities', (store) => store.entities({ limit: 0 }), 'invalid_value: range.limit must be a whole number from 1'],
  ['write', (store) => store.write([{ ...row, rec: new Uint8Array(3) }]), 'too_large: rows[0].rec has 3 bytes'],
  ['remove', (store) => store.remove([{ entity: 'e', key: 'k', seq: -1 }]), 'invalid_value: ids[0].seq must be'],
  ['removeEntity', (store) => store.removeEntity('\0'), 'invalid_key: entity holds U+0000'],
])('%s of what is wrong does not reach the backend', async (method, call, message) => {
  const part = vi.fn()
  expect(await caughtAs(() => call(defineStore({ ...parts, [method]: part })))).toContain(message)
  expect(part).not.toHaveBeenCalled()
})

it('what a part throws at once rejects', async () => {
  const store = defineStore({
    ...parts,
    load() {
      throw new Error('broken')
    },
  })
  const loading = store.load([])
  await expect(loading).rejects.toThrow('broken')
})

it('closes once, after the calls that have begun, and lets no call begin meanwhile', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const close = vi.fn()
  const store = defineStore({ ...parts, remove: () => promise, close })
  const removing = store.remove([])
  const closings = [store.close(), store.close(), store[Symbol.asyncDispose]()]
  expect(await caughtAs(() => store.load([]))).toBe('unavailable: This test store was closed; open a new one.')
  expect(close).not.toHaveBeenCalled()
  resolve(3)
  await Promise.all(closings)
  expect(await removing).toBe(3)
  expect(close).toHaveBeenCalledTimes(1)
})

it('lets a caller go when the signal fires, and closes after the work that it left', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const close = vi.fn()
  const store = defineStore({ ...parts, remove: () => promise, close })
  const controller = new AbortController()
  const removing = store.remove([], { signal: controller.signal })
  controller.abort()
  expect(await caughtAs(() => removing)).toContain('aborted: ')
  const closing = store.close()
  expect(close).not.toHaveBeenCalled()
  resolve(3)
  await closing
  expect(close).toHaveBeenCalledTimes(1)
})
