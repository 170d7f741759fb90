import { stemmer } from 'stemmer'

/** Words that say nothing about what a file is about. English; other languages lose nothing without a list. */
const STOP_WORDS = `a about after again all also am an and any are as at be because been before being below between both
  but by can could did do does doing down during each else ever few for from further get go goes going got had has have having he her
  here hers him his how i if in into is it its just let like me more most my no nor not now of off on once only or other
  our out over own please same she should so some such tell than that the their them then there these they this those
  through to too under until up us very was we were what when where which while who whom whose why will with would you
  your im ive id ill dont didnt doesnt isnt wasnt arent werent hasnt havent hadnt cant couldnt wont wouldnt shouldnt
  youre youve theyre theyve hes shes weve whats thats theres lets`.split(/\s+/)

/** Text of nothing but ASCII is read several times faster by patterns that know it. */
const ASCII = /^[\0-\x7f]*$/
const ASCII_WORD = /[a-z0-9]+(?:'[a-z]+)*/g
const WORD = /[\p{L}\p{M}\p{N}]+(?:['\u2019][\p{L}\p{M}]+)*/gu
/** Scripts that do not put spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** What could be a name that is looked for as it is: with digits, dots, dashes, underscores or an `@` in it. */
const NAME = /#\d+|[\p{L}\p{N}][\p{L}\p{N}_.@+/-]*[\p{L}\p{N}]/gu
/** The longest word that is a word, and the longest name. */
const MAX_CHARS = 60

export interface TermReader {
  /** The terms of a text, in their order: stems of its words, without stop words. */
  terms(text: string): string[]
  /** The word that a term was first read from. */
  wordOf(term: string): string
}

/** Reads texts as terms. Words that were seen before cost a look-up. */
export function termReader(moreStopWords: readonly string[] = []): TermReader {
  const stopWords = new Set([...STOP_WORDS, ...moreStopWords.flatMap(wordsOf)])
  const termOf = new Map<string, string>()
  const words = new Map<string, string>()
  return {
    wordOf: (term) => words.get(term) ?? term,
    terms(text) {
      const terms: string[] = []
      for (const word of wordsOf(text)) {
        let term = termOf.get(word)
        if (term === undefined) {
          term = stopWords.has(word) || word.length > MAX_CHARS ? '' : /^[a-z]+$/.test(word) ? stemmer(word) : word
          termOf.set(word, term)
          if (!words.has(term)) words.set(term, word)
        }
        if (term !== '') terms.push(term)
      }
      return terms
    },
  }
}

/** Making one takes longer than cutting a page. */
let segmenter: Intl.Segmenter | undefined

/** Lower case, accents off; runs of scripts that write without spaces are cut where the runtime sees words. */
function wordsOf(text: string): string[] {
  if (ASCII.test(text)) return withoutApostrophes(text.toLowerCase().match(ASCII_WORD))
  const folded = text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .toLowerCase()
  const words = withoutApostrophes(folded.match(WORD))
  return UNSPACED.test(folded) ? words.flatMap((word) => (UNSPACED.test(word) ? segments(word) : [word])) : words
}

/** `caroline's` is caroline, `don't` is dont. */
function withoutApostrophes(words: readonly string[] | null): string[] {
  return (words ?? []).map((word) =>
    /['\u2019]/.test(word) ? word.replace(/['\u2019]s$/, '').replaceAll(/['\u2019]/g, '') : word,
  )
}

function segments(run: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
  return Array.from(segmenter.segment(run), ({ segment }) => segment)
}

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
