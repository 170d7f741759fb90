import { systemClock, type RowStore } from '@keepsake/core'
import type { RowStoreCase } from './row-store-case.ts'

/**
 * Runs one case against a store that is provisioned, and removes what the case wrote if it passes. After a failure the
 * rows stay, to be looked at.
 */
export async function runCaseOn(store: RowStore, testCase: RowStoreCase, open: () => Promise<RowStore>): Promise<void> {
  const prefix = `case/${systemClock().newId()}/`
  const entities = new Set<string>()
  await using opened = new AsyncDisposableStack()
  await testCase.run({
    store,
    entity(suffix = '') {
      entities.add(prefix + suffix)
      return prefix + suffix
    },
    open: async () => opened.use(await open()),
  })
  for (const entity of entities) if (entity.isWellFormed()) await store.removeEntity(entity)
}

/**
 * Runs one case of `rowStoreCases` without a test runner: opens a store, provisions it, and closes it afterwards.
 * Rejects if the store breaks the rule.
 */
export async function runRowStoreCase(testCase: RowStoreCase, open: () => Promise<RowStore>): Promise<void> {
  await using store = await open()
  await store.provision()
  await runCaseOn(store, testCase, open)
}
