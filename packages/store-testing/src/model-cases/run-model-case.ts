import { encodeTuple, systemClock, type Row, type RowStore } from '@keepsake/core'
import type { MemoryModelCase } from './model-case.ts'

const KINDS = ['owner', 'subject', 'thread']

/**
 * Runs one case of `memoryModelCases` against a store that is provisioned, and removes what the case wrote if it passes.
 * After a failure the rows stay, to be looked at.
 */
export async function runModelCaseOn(
  store: RowStore,
  testCase: MemoryModelCase,
  everything?: () => Promise<string>,
): Promise<void> {
  const prefix = `case-${systemClock().newId()}-`
  await testCase.run({ store, name: (suffix = '') => prefix + suffix, rows: () => rowsOf(store, prefix), everything })
  for (const entity of await entitiesOf(store, prefix)) await store.removeEntity(entity)
}

/**
 * Runs one case of `memoryModelCases` without a test runner: opens a store, provisions it, and closes it afterwards.
 * Rejects if the rule does not hold.
 */
export async function runMemoryModelCase(testCase: MemoryModelCase, open: () => Promise<RowStore>): Promise<void> {
  await using store = await open()
  await store.provision()
  await runModelCaseOn(store, testCase)
}

async function entitiesOf(store: RowStore, prefix: string): Promise<string[]> {
  const lists = KINDS.map((kind) => store.entities({ prefix: encodeTuple([kind]) + prefix, limit: 10_000 }))
  return (await Promise.all(lists)).flat()
}

async function rowsOf(store: RowStore, prefix: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const entity of await entitiesOf(store, prefix)) {
    for (let after: string | undefined; ; after = rows.at(-1)!.key) {
      const page = await store.scan(entity, { limit: 500, ...(after !== undefined && { after }) })
      rows.push(...page)
      if (page.length < 500) break
    }
  }
  return rows
}
