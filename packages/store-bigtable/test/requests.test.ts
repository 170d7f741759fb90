import { expect, test } from 'vitest'
import { bigtableStore } from '../src/bigtable-store.ts'
import { asked, fakeTable } from './fake-table.ts'
import { put } from './rows.ts'

const CANCELLED = 1
const INVALID_ARGUMENT = 3
const UNAVAILABLE = 14

test('a scan that the server cancels half-way goes on after the last row, and never ends early', async () => {
  const { table, requests } = fakeTable([{ keys: ['e\0a', 'e\0b'], code: CANCELLED }, { keys: ['e\0c'] }])
  const rows = await bigtableStore({ table }).scan('e', { limit: 9 })
  expect(rows.map(({ key }) => key)).toEqual(['a', 'b', 'c'])
  expect(requests.map(({ reqOpts }) => asked(reqOpts))).toEqual([
    { range: { startKeyClosed: 'e\0', endKeyOpen: 'e\u0001' }, limit: 9 },
    { range: { startKeyOpen: 'e\0b', endKeyOpen: 'e\u0001' }, limit: 7 },
  ])
})

test('a scan that was cancelled after its last row is not asked again', async () => {
  const { table, requests } = fakeTable([{ keys: ['e\0a', 'e\0b'], code: CANCELLED }])
  expect(await bigtableStore({ table }).scan('e', { limit: 2 })).toHaveLength(2)
  expect(requests).toHaveLength(1)
})

test('a load that breaks off asks for the keys that are left', async () => {
  const { table, requests } = fakeTable([{ keys: ['e\0a', 'e\0c'], code: UNAVAILABLE }, { keys: ['e\0e'] }])
  const ids = ['a', 'b', 'c', 'd', 'e'].map((key) => ({ entity: 'e', key }))
  const rows = await bigtableStore({ table }).load(ids)
  expect(rows.map((row) => row?.key)).toEqual(['a', undefined, 'c', undefined, 'e'])
  expect(asked(requests[1]!.reqOpts)).toEqual({ keys: ['e\0d', 'e\0e'] })
})

test('a stream that ends in the middle of a row is read again from there', async () => {
  const { table, requests } = fakeTable([{ keys: ['e\0a'], torn: true }, { keys: ['e\0torn'] }])
  const rows = await bigtableStore({ table }).scan('e', { limit: 9 })
  expect(rows.map(({ key }) => key)).toEqual(['a', 'torn'])
  expect(requests).toHaveLength(2)
})

test('a read that fails before its first row is tried again, for good reasons only', async () => {
  const passing = fakeTable([{ keys: [], code: UNAVAILABLE }, { keys: ['e\0a'] }])
  expect(await bigtableStore({ table: passing.table }).scan('e', { limit: 9 })).toHaveLength(1)
  const wrong = fakeTable([{ keys: [], code: INVALID_ARGUMENT }, { keys: ['e\0a'] }])
  await expect(bigtableStore({ table: wrong.table }).scan('e', { limit: 9 })).rejects.toMatchObject({
    code: 'unavailable',
    retryable: false,
  })
  expect(wrong.requests).toHaveLength(1)
})

test('a row is loaded once however often it is named, and given out as often', async () => {
  const { table, requests } = fakeTable([{ keys: ['e\0a'] }])
  const id = { entity: 'e', key: 'a' }
  const [first, second] = await bigtableStore({ table }).load([id, id])
  expect(asked(requests[0]!.reqOpts)).toEqual({ keys: ['e\0a'] })
  expect(first).toEqual(second)
  expect(first).not.toBe(second)
})

test('a write that meets trouble is sent again, with options of its own each time', async () => {
  const { table, requests } = fakeTable([], [UNAVAILABLE, 4, false])
  expect(await bigtableStore({ table }).write([put('k', 1, 'x')])).toEqual([{ status: 'applied' }])
  expect(new Set(requests.map(({ gaxOpts }) => gaxOpts)).size).toBe(3)
})

test('a write that is refused while its row changes is tried again', async () => {
  // Refused as a newer row is there; the look at it finds none, as it was removed; then it applies.
  const { table, requests } = fakeTable([{ keys: [] }], [true, false])
  expect(await bigtableStore({ table }).write([put('k', 1, 'x')])).toEqual([{ status: 'applied' }])
  expect(requests.map(({ method }) => method)).toEqual(['checkAndMutateRow', 'readRows', 'checkAndMutateRow'])
})

test('a refused write reads the record only if the seqs are equal', async () => {
  const stale = fakeTable([{ keys: ['e\0k'] }], [true])
  expect(await bigtableStore({ table: stale.table }).write([put('k', 6, '', 'absent')])).toEqual([
    { status: 'stale', seq: 7 },
  ])
  expect(stale.requests).toHaveLength(2)
  const own = fakeTable([{ keys: ['e\0k'] }, { keys: ['e\0k'] }], [true])
  expect(await bigtableStore({ table: own.table }).write([put('k', 7, '', 'absent')])).toEqual([{ status: 'applied' }])
  expect(own.requests).toHaveLength(3)
})

test('a server that never answers: the signal ends a call, gives its stream up, and close does not hang', async () => {
  const { table, aborted } = fakeTable([])
  const store = bigtableStore({ table })
  const controller = new AbortController()
  const calls = [store.scan('e', { limit: 1 }, controller), store.write([put('k', 1, 'x')], controller)]
  const outcomes = Promise.allSettled(calls)
  await new Promise((resolve) => setImmediate(resolve))
  controller.abort()
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'aborted' } })
  expect(aborted()).toBe(1)
  await store.close()
})

test('a row that somebody else put into the table is refused by the name of what it lacks', async () => {
  const { table } = fakeTable([{ keys: ['e\0a'], without: 'rec' }])
  await expect(bigtableStore({ table }).scan('e', { limit: 9 })).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('no cell m:rec') as string,
  })
})
