import type { RowStore } from '@keepsake/core'

/** What a case works with. */
export interface CaseContext {
  /** The store under test, provisioned. Others use it too: nothing in it is touched but this case's own entities. */
  readonly store: RowStore
  /** An entity of this case alone: a fresh prefix, then `suffix`. The same suffix gives the same entity. */
  readonly entity: (suffix?: string) => string
  /** One more store of the same kind, for cases that close it. */
  readonly open: () => Promise<RowStore>
}

/** One rule of the row contract: `run` rejects if the store breaks it. */
export interface RowStoreCase {
  readonly topic: string
  /** Unique among all cases. */
  readonly name: string
  /** The case only means something for stores whose `limits` claim this. */
  readonly needs?: 'atomicBatch'
  readonly run: (context: CaseContext) => Promise<void>
}

export type CaseEntry = readonly [name: string, run: RowStoreCase['run']]

/** The cases of one topic. */
export function casesOf(topic: string, entries: readonly CaseEntry[], needs?: 'atomicBatch'): RowStoreCase[] {
  return entries.map(([name, run]) => ({ topic, name, run, ...(needs !== undefined && { needs }) }))
}
