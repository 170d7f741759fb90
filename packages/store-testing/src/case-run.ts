import { systemClock, type RowStore } from '@keepsake/core'
import type { RowStoreCase } from './row-store-case.ts'

/**
 * Runs one case against a store that is provisioned, and removes what the case wrote if it passes. After a failure the
 * rows stay, to be looked at.
 */
export async function runCaseOn(store: RowStore, testCase: RowStoreCase, open: () => Promise<RowStore>): Promise<void> {
  const prefix = `case/${systemClock().newId()}/`
  const entities = new Set<string>()
  const opened: RowStore[] = []
  try {
    await testCase.run({
      store,
      entity(suffix = '') {
        entities.add(prefix + suffix)
        return prefix + suffix
      },
      async open() {
        const another = await open()
        opened.push(another)
        return another
      },
    })
    for (const entity of entities) await store.removeEntity(entity)
  } finally {
    for (const another of opened) await another.close()
  }
}

/**
 * Runs one case of `rowStoreCases` without a test runner: opens a store, provisions it, and closes it afterwards.
 * Rejects if the store breaks the rule. A case whose `needs` the store does not claim has nothing to say about it, and
 * passes.
 */
export async function runRowStoreCase(testCase: RowStoreCase, open: () => Promise<RowStore>): Promise<void> {
  await using store = await open()
  await store.provision()
  if (testCase.needs !== undefined && !store.limits[testCase.needs]) return
  await runCaseOn(store, testCase, open)
}
