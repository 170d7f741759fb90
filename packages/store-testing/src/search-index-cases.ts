import { contextCases } from './search/context-cases.ts'
import { keepingCases } from './search/keeping-cases.ts'
import { recordSearchCases } from './search/record-search-cases.ts'
import type { SearchIndexCase } from './search/search-index-case.ts'
import { vectorCases } from './search/vector-cases.ts'
import { wordCases } from './search/word-cases.ts'

/** The rules of search indexes, one case each. */
export const searchIndexCases: readonly SearchIndexCase[] = [
  ...wordCases,
  ...contextCases,
  ...keepingCases,
  ...vectorCases,
  ...recordSearchCases,
]
