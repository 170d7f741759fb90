import type { RowStore } from '@keepsake/core'
import { runCaseOn } from './case-run.ts'
import { registerSuite } from './register-suite.ts'
import { rowStoreCases } from './row-store-cases.ts'

export interface TestRowStoreOptions {
  /** From the name of a case or of a topic to the reason why this store does not run it; shown in the test's name. */
  skip?: Readonly<Record<string, string>>
}

/** The slowest cases move some 10 MB or wait for 64 writers. */
const CASE_TIMEOUT_MS = 60_000

/**
 * Registers every case of `rowStoreCases` with vitest, for one implementation of `RowStore`.
 *
 * `open` gives a store of its own at each call, not closed by anybody else. It is called once for most cases, and again
 * for those that close a store. The database behind it may be shared and may hold rows: cases keep to fresh entities
 * and remove what they wrote. `provision()` is called first; `provision({ down: true })` never.
 *
 * Throws `invalid_value` if `skip` names a case or topic that does not exist, or gives no reason.
 */
export function testRowStore(name: string, open: () => Promise<RowStore>, options: TestRowStoreOptions = {}): void {
  let store: RowStore
  registerSuite({
    name,
    cases: rowStoreCases,
    skip: options.skip,
    caseTimeoutMs: CASE_TIMEOUT_MS,
    async open() {
      store = await open()
      await store.provision()
    },
    async close() {
      await store?.close()
    },
    async run(testCase, test) {
      if (testCase.needs === 'atomicBatch') test.skip(!store.limits.atomicBatch, 'no claim of limits.atomicBatch')
      await runCaseOn(store, testCase, open)
    },
  })
}
