import { appendCases, handleCases } from './history/append-cases.ts'
import type { HistoryCase } from './history/history-case.ts'
import { ownerCases } from './history/owner-cases.ts'
import { partCases } from './history/part-cases.ts'
import { prepareCases } from './history/prepare-cases.ts'
import { threadCases } from './history/thread-cases.ts'

/** Every rule that histories keep, for `testHistory` and for runners of your own. */
export const historyCases: readonly HistoryCase[] = [
  ...appendCases,
  ...handleCases,
  ...threadCases,
  ...partCases,
  ...prepareCases,
  ...ownerCases,
]
