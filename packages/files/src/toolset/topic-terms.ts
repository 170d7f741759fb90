import { createAnalyser } from '@keepsake/core'

/** What could be a name that is looked for as it is: with digits, dots, dashes, underscores or an `@` in it. */
const NAME = /#\d+|[\p{L}\p{N}][\p{L}\p{N}_.@+/-]*[\p{L}\p{N}]/gu
/** The longest name. */
const MAX_CHARS = 60

export interface TermReader {
  /** The terms of a text, in their order: stems of its words, without stop words. */
  terms(text: string): string[]
  /** The word that a term was first read from. */
  wordOf(term: string): string
}

/** Reads texts as terms, as records are searched, and knows the words that they came from. */
export function termReader(moreStopWords: readonly string[] = []): TermReader {
  const { words: wordsOf, term: termOf } = createAnalyser()
  const stopWords = new Set(moreStopWords.flatMap(wordsOf))
  const words = new Map<string, string>()
  return {
    wordOf: (term) => words.get(term) ?? term,
    terms(text) {
      const terms: string[] = []
      for (const word of wordsOf(text)) {
        const term = stopWords.has(word) ? undefined : termOf(word)
        if (term === undefined) continue
        if (!words.has(term)) words.set(term, word)
        terms.push(term)
      }
      return terms
    },
  }
}

/** Making one takes longer than cutting a page. */
let segmenter: Intl.Segmenter | undefined
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
/**
 * What names one thing exactly: ticket numbers (`ABC-12`, `#4711`), addresses, code names (`fooBar`, `foo_bar`, `v1.2`,
 * `K8s`). Lower case. Years and other plain numbers up to four digits are none.
 */
export function identifiersOf(text: string): Set<string> {
  const found = new Set<string>()
  for (const [name] of text.matchAll(NAME)) {
    if (name.length <= MAX_CHARS && isIdentifier(name)) found.add(name.toLowerCase())
  }
  return found
}

function isIdentifier(name: string): boolean {
  // Nearly all are plain words.
  if (/^[A-Za-z]?[a-z]+$/.test(name)) return false
  if (name.startsWith('#') || /.@.+\../.test(name) || /\p{L}_|_\p{L}/u.test(name)) return true
  if (/\p{Ll}\p{Lu}/u.test(name)) return true
  if (!/\d/.test(name)) return false
  return /\p{L}/u.test(name) ? !/^\d+(?:st|nd|rd|th|am|pm|s)$/i.test(name) : /\d{5}/.test(name)
}
