import { asksWhen, namedDate, type NamedDate } from './query-cues.ts'
import type { Analyser } from './terms.ts'

/** A query as documents are ranked by it. */
export interface AnalysedQuery {
  /** Its terms, each once. */
  terms: readonly string[]
  /** Its words, lower case, with their terms: the names of speakers are found by them. */
  words: ReadonlyMap<string, string | undefined>
  asksWhen: boolean
  date: NamedDate | undefined
}

/** Terms of a query that count. A whole document as a query would look up every word of it. */
const MAX_TERMS = 64

export function analyseQuery(text: string, analyser: Analyser): AnalysedQuery {
  const words = new Map<string, string | undefined>()
  const terms = new Set<string>()
  for (const word of analyser.words(text)) {
    const term = analyser.term(word)
    words.set(word, term)
    if (term !== undefined) terms.add(term)
    if (terms.size === MAX_TERMS) break
  }
  return { terms: [...terms], words, asksWhen: asksWhen(text), date: namedDate(text) }
}
