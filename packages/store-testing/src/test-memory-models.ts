import type { RowStore } from '@keepsake/core'
import { memoryModelCases } from './memory-model-cases.ts'
import { runModelCaseOn } from './model-cases/run-model-case.ts'
import { registerSuite } from './register-suite.ts'

export interface TestMemoryModelsOptions {
  /** From the name of a case or of a topic to the reason why it does not run on this store; shown in the test's name. */
  skip?: Readonly<Record<string, string>>
  /**
   * Reads all that the database holds past the store, with whatever the store keeps beside its rows, as one text: names are
   * found in it as they are. Where it is given, the cases of `erasure` look there too.
   */
  everything?: () => Promise<string>
}

/** The slowest cases make 1,100 appends, or move some 10 MB. */
const CASE_TIMEOUT_MS = 120_000

/**
 * Registers every case of `memoryModelCases` with vitest: chat memory, records and their erasure over one implementation of
 * `RowStore`. What they find beside `testRowStore` is what a store does under real use: races, lost answers, thousands of rows.
 *
 * `open` gives a store; it is called once. The database behind it may be shared and may hold rows: cases keep to fresh
 * owners and threads and remove what they wrote. `provision()` is called first; `provision({ down: true })` never.
 *
 * Throws `invalid_value` if `skip` names a case or topic that does not exist, or gives no reason.
 */
export function testMemoryModels(
  name: string,
  open: () => Promise<RowStore>,
  options: TestMemoryModelsOptions = {},
): void {
  let store: RowStore
  registerSuite({
    name,
    cases: memoryModelCases,
    skip: options.skip,
    caseTimeoutMs: CASE_TIMEOUT_MS,
    async open() {
      store = await open()
      await store.provision()
    },
    async close() {
      await store?.close()
    },
    run: (testCase) => runModelCaseOn(store, testCase, options.everything),
  })
}
