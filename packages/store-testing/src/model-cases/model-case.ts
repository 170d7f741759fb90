import type { Row, RowStore } from '@keepsake/core'

/** What a case works with. */
export interface ModelContext {
  /** The store under the models, provisioned. Others use it too: nothing in it is touched but this case's own names. */
  readonly store: RowStore
  /** An owner, subject or thread of this case alone: a fresh prefix, then `suffix`. The same suffix gives the same name. */
  readonly name: (suffix?: string) => string
  /** Every row of this case's owners, subjects and threads, in order: to see what a call wrote, or that it wrote nothing. */
  readonly rows: () => Promise<Row[]>
  /** All that the database holds, read past the store; left out where nobody gave a way to. */
  readonly everything?: (() => Promise<string>) | undefined
}

/** One rule of chat memory, records or their erasure: `run` rejects if it does not hold on the store. */
export interface MemoryModelCase {
  readonly topic: string
  /** Unique among all cases. */
  readonly name: string
  run(context: ModelContext): Promise<void>
}

export type ModelCaseEntry = readonly [name: string, run: MemoryModelCase['run']]

/** The cases of one topic. */
export function modelCasesOf(topic: string, entries: readonly ModelCaseEntry[]): MemoryModelCase[] {
  return entries.map(([name, run]) => ({ topic, name, run }))
}
