import type { SearchIndex } from '@keepsake/core'
import { registerSuite } from './register-suite.ts'
import { searchIndexCases } from './search-index-cases.ts'
import { runSearchCaseOn, type OpenSearchIndex } from './search/run-search-case.ts'

export interface TestSearchIndexOptions {
  /** From the name of a case or of a topic to the reason why it does not run on this index; shown in the test's name. */
  skip?: Readonly<Record<string, string>>
}

const CASE_TIMEOUT_MS = 60_000

/**
 * Registers every case of `searchIndexCases` with vitest: what each implementation of `SearchIndex` must find, in which
 * order, and what never. Beside words and vectors that is `records` with the index, over the in-memory store.
 *
 * `open` gives an index by a name of letters, digits and `_`: the same name, the same data. Indexes other than the first
 * are taken away again.
 *
 * Throws `invalid_value` if `skip` names a case or topic that does not exist, or gives no reason.
 */
export function testSearchIndex(name: string, open: OpenSearchIndex, options: TestSearchIndexOptions = {}): void {
  let index: SearchIndex
  registerSuite({
    name,
    cases: searchIndexCases,
    skip: options.skip,
    caseTimeoutMs: CASE_TIMEOUT_MS,
    async open() {
      index = await open('suite')
      await index.provision()
      await index.open()
    },
    async close() {
      await index?.provision({ down: true })
      await index?.close()
    },
    run: (testCase) => runSearchCaseOn(index, testCase, open),
  })
}
