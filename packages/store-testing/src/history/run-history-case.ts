import { systemClock } from '@keepsake/core'
import type { History } from '@keepsake/strategies'
import type { HistoryCase } from './history-case.ts'

/**
 * Runs one case of `historyCases` without a test runner, and clears the case's threads if it passes. After a failure
 * they stay, to be looked at. Rejects if the history breaks the rule.
 */
export async function runHistoryCase(
  testCase: HistoryCase,
  open: () => History | Promise<History>,
  history?: History,
): Promise<void> {
  const used = history ?? (await open())
  const prefix = `case/${systemClock().newId()}/`
  const threads = new Set<string>()
  await testCase.run({
    history: used,
    thread(suffix = '') {
      threads.add(prefix + suffix)
      return prefix + suffix
    },
    open: async () => open(),
  })
  for (const thread of threads) await used.clear(thread)
}
