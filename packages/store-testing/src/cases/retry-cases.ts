import type { Guard } from '@keepsake/core'
import { casesOf, type CaseContext, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectResults, expectRows } from '../expect.ts'
import { numberedKeys, put, putKeys } from './rows.ts'

const guards: readonly Guard[] = ['monotonic', 'absent', { seq: 4 }]

export const retryCases: RowStoreCase[] = casesOf('lost answers', [
  ...guards.flatMap((guard): CaseEntry[] => [
    [`a repeat of the same ${named(guard)} write is applied`, (c) => repeatIsApplied(c, guard)],
    [
      `a late duplicate of a ${named(guard)} write never comes back over the next`,
      (c) => lateDuplicate(c, guard, 'next'),
    ],
    [
      `a late duplicate of a ${named(guard)} write never comes back over a tombstone`,
      (c) => lateDuplicate(c, guard, ''),
    ],
    [`a repeated batch of ${named(guard)} writes is applied`, (c) => repeatedBatch(c, guard)],
    [`a batch of ${named(guard)} writes of which half had landed is applied`, (c) => halfLanded(c, guard)],
  ]),
  [
    'a repeat with equal seq and another record is not this write',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 4, 'before')])
      await store.write([put(entity(), 'k', 5, 'mine', { guard: { seq: 4 } })])
      expectResults(await store.write([put(entity(), 'k', 5, 'yours', { guard: { seq: 4 } })]), [5])
      expectResults(await store.write([put(entity(), 'k', 5, 'yours', { guard: 'absent' })]), [5])
      expectRows(await store.load([{ entity: entity(), key: 'k' }]), [put(entity(), 'k', 5, 'mine')])
    },
  ],
  [
    'a repeated tombstone is applied, for every guard',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 4, 'before'), put(entity(), 'k', 5, '')])
      for (const guard of guards) expectResults(await store.write([put(entity(), 'k', 5, '', { guard })]), ['applied'])
      expectRows(await store.load([{ entity: entity(), key: 'k' }]), [put(entity(), 'k', 5, '')])
    },
  ],
  [
    'a repeated removal removes nothing',
    async ({ store, entity }) => {
      await store.write(putKeys(entity(), ['a', 'b']))
      expectEqual(await store.remove([{ entity: entity(), key: 'a' }]), 1, 'first')
      expectEqual(await store.remove([{ entity: entity(), key: 'a' }]), 0, 'second')
      expectEqual(await store.removeEntity(entity()), 1, 'first removeEntity')
      expectEqual(await store.removeEntity(entity()), 0, 'second removeEntity')
    },
  ],
  [
    'a repeated removal with a seq spares the row that was made again',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 1, 'old')])
      expectEqual(await store.remove([{ entity: entity(), key: 'k', seq: 1 }]), 1, 'first')
      await store.write([put(entity(), 'k', 2, 'new')])
      expectEqual(await store.remove([{ entity: entity(), key: 'k', seq: 1 }]), 0, 'second')
      expectRows(await store.load([{ entity: entity(), key: 'k' }]), [put(entity(), 'k', 2, 'new')])
    },
  ],
])

async function repeatIsApplied({ store, entity }: CaseContext, guard: Guard): Promise<void> {
  if (typeof guard === 'object') await store.write([put(entity(), 'k', guard.seq, 'before')])
  const write = put(entity(), 'k', 5, 'mine', { guard })
  for (let attempt = 1; attempt <= 3; attempt++)
    expectResults(await store.write([write]), ['applied'], `try ${attempt}`)
  expectRows(await store.load([write]), [write])
}

async function lateDuplicate({ store, entity }: CaseContext, guard: Guard, then: string): Promise<void> {
  if (typeof guard === 'object') await store.write([put(entity(), 'k', guard.seq, 'before')])
  const write = put(entity(), 'k', 5, 'mine', { guard })
  const next = put(entity(), 'k', 6, then)
  expectResults(await store.write([write]), ['applied'])
  expectResults(await store.write([next]), ['applied'])
  expectResults(await store.write([write]), [6])
  expectRows(await store.load([write]), [next])
}

async function repeatedBatch({ store, entity }: CaseContext, guard: Guard): Promise<void> {
  const keys = numberedKeys(20)
  if (typeof guard === 'object') await store.write(keys.map((key) => put(entity(), key, guard.seq, 'before')))
  const batch = keys.map((key) => put(entity(), key, 5, key, { guard }))
  const applied = batch.map(() => 'applied' as const)
  expectResults(await store.write(batch), applied, 'first')
  expectResults(await store.write(batch), applied, 'second')
  expectRows(await store.scan(entity(), { limit: 100 }), batch)
}

async function halfLanded({ store, entity }: CaseContext, guard: Guard): Promise<void> {
  const keys = numberedKeys(20)
  if (typeof guard === 'object') await store.write(keys.map((key) => put(entity(), key, guard.seq, 'before')))
  const batch = keys.map((key) => put(entity(), key, 5, key, { guard }))
  await store.write(batch.filter((_, i) => i % 2 === 0))
  expectResults(
    await store.write(batch),
    batch.map(() => 'applied' as const),
  )
  expectRows(await store.scan(entity(), { limit: 100 }), batch)
}

function named(guard: Guard): string {
  return typeof guard === 'string' ? guard : '{ seq }'
}
