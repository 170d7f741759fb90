import type { History } from '@keepsake/strategies'
import { beforeAll, describe, it } from 'vitest'
import { checkedSkips } from './checked-skips.ts'
import { historyCases } from './history-cases.ts'
import { runHistoryCase } from './history/run-history-case.ts'

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
  const skip = checkedSkips(historyCases, options.skip ?? {})
  describe(name, () => {
    let history: History
    beforeAll(async () => {
      history = await open()
    })
    for (const [topic, cases] of Map.groupBy(historyCases, (testCase) => testCase.topic)) {
      describe(topic, () => {
        for (const testCase of cases) {
          const reason = skip.get(testCase.name) ?? skip.get(topic)
          if (reason !== undefined) it.skip(`${testCase.name} (skipped: ${reason})`)
          else it(testCase.name, () => runHistoryCase(testCase, open, history), CASE_TIMEOUT_MS)
        }
      })
    }
  })
}
