import { expect, it } from 'vitest'
import { compareStores } from '../src/migration/compare-stores.ts'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import { MIGRATION_ENTITY } from '../src/migration/migration-mark.ts'
import type { Row } from '../src/rows/row-store.ts'
import { manyRows, NOW_MS, row, testClock } from './migration-stores.ts'

async function compare(source: Row[], target: Row[]): Promise<object> {
  const stores = [inMemoryStore(), inMemoryStore()] as const
  await stores[0].write(source)
  await stores[1].write(target)
  return await compareStores(...stores, { clock: testClock() })
}

it('counts rows, and how they differ', async () => {
  const source = [row('a', '1'), row('a', '2'), row('a', '3'), row('b', '1'), row('b', '2')]
  const target = [row('a', '2'), row('a', '3', 2), row('b', '1', 1, { updatedAtMs: 5 }), row('c', '1')]
  expect(await compare(source, target)).toEqual({ rows: 5, missing: 2, different: 2, extra: 1 })
  expect(await compare(source, source)).toEqual({ rows: 5, missing: 0, different: 0, extra: 0 })
  expect(await compare([], target)).toEqual({ rows: 0, missing: 0, different: 0, extra: 4 })
})

it('lets rows vanish from either store from the moment that they expire', async () => {
  const expiring = [row('a', '1', 1, { expiresAtMs: NOW_MS }), row('a', '2', 1, { expiresAtMs: NOW_MS + 1 })]
  expect(await compare(expiring, [])).toEqual({ rows: 2, missing: 1, different: 0, extra: 0 })
  expect(await compare([], expiring)).toEqual({ rows: 0, missing: 0, different: 0, extra: 1 })
  // Where both have it, it is compared.
  expect(await compare(expiring, [row('a', '1', 2, { expiresAtMs: 1 }), expiring[1]!])).toEqual({
    rows: 2,
    missing: 0,
    different: 1,
    extra: 0,
  })
})

it('leaves out the mark of a migration', async () => {
  const marked = [row('a', '1'), row(MIGRATION_ENTITY, 'mark\u0001')]
  expect(await compare([row('a', '1')], marked)).toEqual({ rows: 1, missing: 0, different: 0, extra: 0 })
  expect(await compare(marked, [row('a', '1')])).toEqual({ rows: 1, missing: 0, different: 0, extra: 0 })
})

it('says every 1,000 rows how far it is, and ends when its signal fires', async () => {
  const source = inMemoryStore()
  await source.write([...manyRows('e', 2500)])
  const stop = new AbortController()
  const told: number[] = []
  await compareStores(source, inMemoryStore(), { onProgress: (rows) => void told.push(rows) })
  expect(told).toEqual([1000, 2000])
  const onProgress = (): void => stop.abort()
  await expect(compareStores(source, inMemoryStore(), { onProgress, signal: stop.signal })).rejects.toMatchObject({
    code: 'aborted',
  })
})
