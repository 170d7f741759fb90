import { afterAll, beforeAll, describe, it, type TestContext } from 'vitest'
import { checkedSkips } from './checked-skips.ts'

interface SuiteCase {
  readonly topic: string
  readonly name: string
}

export interface Suite<C extends SuiteCase> {
  name: string
  cases: readonly C[]
  /** From the name of a case or of a topic to the reason why it does not run. */
  skip: Readonly<Record<string, string>> | undefined
  caseTimeoutMs: number
  open: () => Promise<void>
  close?: () => Promise<void>
  run: (testCase: C, test: TestContext) => Promise<void>
}

/**
 * Registers cases with vitest, grouped by topic. A case that is skipped says why in its name. Throws `invalid_value` if
 * `skip` names a case or topic that does not exist, or gives no reason.
 */
export function registerSuite<C extends SuiteCase>(suite: Suite<C>): void {
  const { name, cases, caseTimeoutMs, open, close, run } = suite
  const skip = checkedSkips(cases, suite.skip ?? {})
  describe(name, () => {
    beforeAll(open)
    if (close !== undefined) afterAll(close)
    for (const [topic, group] of Map.groupBy(cases, (testCase) => testCase.topic)) {
      describe(topic, () => {
        for (const testCase of group) {
          const reason = skip.get(testCase.name) ?? skip.get(topic)
          if (reason !== undefined) it.skip(`${testCase.name} (skipped: ${reason})`)
          else it(testCase.name, (test) => run(testCase, test), caseTimeoutMs)
        }
      })
    }
  })
}
