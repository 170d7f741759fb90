import { inMemoryStore, type RowStore, type RowWrite, type WriteResult } from '@keepsake/core'
import { array, assert, asyncProperty } from 'fast-check'
import { expect } from 'vitest'
import { anyCall, anyWrite } from './any-call.ts'

/** Any calls, one after the other, give what the in-memory store gives. */
export async function expectReference(store: RowStore, numRuns: number): Promise<void> {
  await assert(
    asyncProperty(array(anyCall, { minLength: 1, maxLength: 30 }), async (calls) => {
      await using reference = inMemoryStore()
      await clear(store)
      for (const call of calls) expect(await call(store)).toEqual(await call(reference))
    }),
    { numRuns },
  )
}

/** Any writes of one row each, at once, give what they give in some order, and leave what that order leaves. */
export async function expectSomeOrder(store: RowStore, numRuns: number): Promise<void> {
  // Two rows, so that nearly all writes meet others.
  const meeting = anyWrite.map((write) => ({ ...write, entity: 'a', key: write.key < 'b' ? 'k' : 'l' }))
  const first = array(meeting, { maxLength: 2 })
  const atOnce = array(meeting, { minLength: 2, maxLength: 5 })
  await assert(
    asyncProperty(first, atOnce, async (before, writes) => {
      await clear(store)
      await store.write(before)
      const results = (await Promise.all(writes.map((write) => store.write([write])))).flat()
      const orders = await Promise.all(
        permutations(writes.map((_, i) => i)).map((order) => inOrder(before, writes, order)),
      )
      expect(orders).toContainEqual({ results, rows: await store.load(writes) })
    }),
    { numRuns },
  )
}

async function inOrder(before: readonly RowWrite[], writes: readonly RowWrite[], order: readonly number[]) {
  await using reference = inMemoryStore()
  await reference.write(before)
  const results: WriteResult[] = []
  for (const i of order) results[i] = (await reference.write([writes[i]!]))[0]!
  return { results, rows: await reference.load(writes) }
}

function permutations(items: readonly number[]): number[][] {
  if (items.length <= 1) return [[...items]]
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]))
}

async function clear(store: RowStore): Promise<void> {
  for (const entity of await store.entities({ limit: 1000 })) await store.removeEntity(entity)
}
