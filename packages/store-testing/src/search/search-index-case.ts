import type { SearchDocument, SearchIndex, SearchQuery } from '@keepsake/core'

/** What a case works with. */
export interface SearchIndexContext {
  /** An index without vectors, open. Others use it too: cases keep to scopes of their own. */
  readonly index: SearchIndex
  /** A scope of this case alone: a fresh prefix, then `suffix`. */
  readonly scope: (suffix?: string) => string
  /** An index of its own, empty and not open. The same name in one case is the same index, opened once more. */
  readonly open: (name: string) => Promise<SearchIndex>
}

/** One rule of search indexes: `run` rejects if it does not hold. */
export interface SearchIndexCase {
  readonly topic: string
  /** Unique among all cases. */
  readonly name: string
  run(context: SearchIndexContext): Promise<void>
}

export type SearchCaseEntry = readonly [name: string, run: SearchIndexCase['run']]

/** The cases of one topic. */
export function searchCasesOf(topic: string, entries: readonly SearchCaseEntry[]): SearchIndexCase[] {
  return entries.map(([name, run]) => ({ topic, name, run }))
}

/** Documents with texts, by their ids. */
export function documentsOf(
  texts: Readonly<Record<string, string>>,
  more: Partial<SearchDocument> = {},
): SearchDocument[] {
  return Object.entries(texts).map(([id, text]) => ({ id, text, ...more }))
}

/** The ids that a query finds, the best first. */
export async function found(
  index: SearchIndex,
  scope: string,
  text: string,
  more: Partial<SearchQuery> = {},
): Promise<string[]> {
  return (await index.query(scope, { text, limit: 10, ...more })).map(({ id }) => id)
}
