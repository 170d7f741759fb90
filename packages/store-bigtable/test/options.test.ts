import type { Table } from '@google-cloud/bigtable'
import { KeepsakeError, openStore } from '@keepsake/core'
import { expect, test } from 'vitest'
import { bigtableStore } from '../src/bigtable-store.ts'
import { driver } from '../src/driver.ts'

const names = { project: 'p', instance: 'i', table: 't' }

test.each([
  ['no project', { ...names, project: undefined }, /project must be/],
  ['an empty instance', { ...names, instance: '' }, /instance must be/],
  ['a table that is a path', { ...names, table: 'a/b' }, /table must be/],
  ['an app profile with a slash', { ...names, appProfile: 'a/b' }, /appProfile must be/],
  ['a table that is none', { table: {} }, /Table of @google-cloud\/bigtable/],
  ['no table', {}, /Table of @google-cloud\/bigtable/],
  ['time 0', { ...names, requestTimeoutMs: 0 }, /requestTimeoutMs/],
  ['half a millisecond', { ...names, retryTimeoutMs: 0.5 }, /retryTimeoutMs/],
])('%s is refused', (_what, options, message) => {
  const open = (): unknown => bigtableStore(options as never)
  expect(open).toThrow(message)
  expect(open).toThrow(expect.objectContaining({ code: 'invalid_value' }))
})

test('a ready table with a name beside it is refused', () => {
  const table = { name: 'projects/p/instances/i/tables/t', bigtable: { request: () => {} } } as unknown as Table
  expect(() => bigtableStore({ table, project: 'p' } as never)).toThrow(/brings its own project/)
})

test('the driver opens its addresses', async () => {
  const store = await openStore('bigtable://my-project/my-instance/memory', [driver])
  expect(store.name).toBe('bigtable')
  expect(store.limits).toEqual({ maxRecBytes: 4_194_304, maxBatchRows: 1, atomicBatch: false })
  await store.close()
})

test('an address without a table is refused', async () => {
  const error = await openStore('bigtable://p/i', [driver]).catch((reason: unknown) => reason)
  expect(KeepsakeError.isInstance(error, 'invalid_value')).toBe(true)
})
