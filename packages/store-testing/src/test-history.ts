import type { History } from '@keepsake/strategies'
import { historyCases } from './history-cases.ts'
import { runHistoryCase } from './history/run-history-case.ts'
import { registerSuite } from './register-suite.ts'

export interface TestHistoryOptions {
  /** From the name of a case or of a topic to the reason why this history does not run it; shown in the test's name. */
  skip?: Readonly<Record<string, string>>
}

/** The slowest case makes 300 appends. */
const CASE_TIMEOUT_MS = 60_000

/**
 * Registers every case of `historyCases` with vitest, for one implementation of `History`.
 *
 * `open` gives a handle; every handle is on the same threads. It is called once for most cases, and again for those of
 * the topic `handles`. Threads may be there already: cases keep to ids of their own and clear them, but for the ids
 * `__proto__`, `constructor` and `%`, which one case uses as they are. A history without owners skips the topic `owners`.
 *
 * Throws `invalid_value` if `skip` names a case or topic that does not exist, or gives no reason.
 */
export function testHistory(
  name: string,
  open: () => History | Promise<History>,
  options: TestHistoryOptions = {},
): void {
  let history: History
  registerSuite({
    name,
    cases: historyCases,
    skip: options.skip,
    caseTimeoutMs: CASE_TIMEOUT_MS,
    async open() {
      history = await open()
    },
    run: (testCase) => runHistoryCase(testCase, open, history),
  })
}
