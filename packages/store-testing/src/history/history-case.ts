import type { History } from '@keepsake/strategies'

/** What a case works with. */
export interface HistoryContext {
  /** The history under test. Others use it too: nothing in it is touched but this case's own threads. */
  readonly history: History
  /** The id of a thread of this case alone: a fresh prefix, then `suffix`. The same suffix gives the same id. */
  readonly thread: (suffix?: string) => string
  /** Another handle on the same threads. */
  readonly open: () => Promise<History>
}

/** One rule for histories: `run` rejects if the history breaks it. */
export interface HistoryCase {
  readonly topic: string
  /** Unique among all cases. */
  readonly name: string
  run(context: HistoryContext): Promise<void>
}

export type HistoryCaseEntry = readonly [name: string, run: HistoryCase['run']]

/** The cases of one topic. */
export function historyCasesOf(topic: string, entries: readonly HistoryCaseEntry[]): HistoryCase[] {
  return entries.map(([name, run]) => ({ topic, name, run }))
}
