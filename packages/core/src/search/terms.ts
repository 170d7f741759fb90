import { stemmer } from 'stemmer'
import { irregularForms } from './irregular-forms.ts'
import { stopWords } from './stop-words.ts'

/** Turns a text into the terms that are indexed and looked up. Keeps what it has worked out, up to a bound. */
export interface Analyser {
  /** The terms of a text, in their order, without stop words. */
  readonly terms: (text: string) => string[]
  /** The words of a text before stop words are left out and stems taken. */
  readonly words: (text: string) => string[]
  /** The term of a word; undefined for a stop word. */
  readonly term: (word: string) => string | undefined
}

/** Stems that are kept. Beyond it they start anew: hostile texts may hold any number of words. */
const MAX_KEPT_STEMS = 100_000

/** Characters of a word that count: nobody asks for the hundredth of a key or of base64. */
const MAX_WORD_LENGTH = 100

const WORD = /[\p{L}\p{M}\p{N}]+(?:['\u2019][\p{L}\p{M}]+)*/gu
const ASCII_WORD = /[a-z0-9]+(?:'[a-z]+)*/g
/** Scripts that do not put spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const HAN_WORD = /^\p{Script=Han}{2,}$/u
const HANGUL = /^\p{Script=Hangul}+$/u
/** What Korean hangs on a noun: taken off while two syllables stay. */
const KOREAN_PARTICLE = /(?:에서|에게|으로|한테|까지|부터|[은는이가을를에의도로와과])$/
const ASCII = /^[\0-\x7f]*$/

/**
 * Words by Unicode, lower case, accents off; runs of scripts that write without spaces are cut by `Intl.Segmenter`.
 * English words lose their endings (Porter) and irregular forms become their word; Korean nouns lose their particles.
 */
export function createAnalyser(): Analyser {
  const stems = new Map<string, string | undefined>()
  let segmenter: Intl.Segmenter | undefined

  function words(text: string): string[] {
    if (ASCII.test(text)) return withoutApostrophes(text.toLowerCase().match(ASCII_WORD))
    // Accents of Latin, Greek and Cyrillic letters stand apart after NFKD. The marks of other scripts are letters' parts.
    const folded = text
      .normalize('NFKD')
      .replaceAll(/[\u0300-\u036f]+/g, '')
      .normalize('NFC')
      .toLowerCase()
    const found = withoutApostrophes(folded.match(WORD))
    return UNSPACED.test(folded) ? found.flatMap((word) => (UNSPACED.test(word) ? segments(word) : [word])) : found
  }

  function segments(run: string): string[] {
    segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
    // Han words are cut differently from one sentence to the next: their characters meet where the words do not.
    return Array.from(segmenter.segment(run), ({ segment }) => segment).flatMap((segment) =>
      HAN_WORD.test(segment) ? [segment, ...Array.from(segment)] : [segment],
    )
  }

  function term(word: string): string | undefined {
    const known = stems.get(word)
    if (known !== undefined || stems.has(word)) return known
    const stem = stemOf(word.length > MAX_WORD_LENGTH ? beginning(word) : word)
    if (stems.size >= MAX_KEPT_STEMS) stems.clear()
    stems.set(word, stem)
    return stem
  }

  return {
    words,
    term,
    terms(text) {
      const terms: string[] = []
      for (const word of words(text)) {
        const found = term(word)
        if (found !== undefined) terms.push(found)
      }
      return terms
    },
  }
}

/** Never with half of a character at its end, which no database takes. */
function beginning(word: string): string {
  return word.slice(0, MAX_WORD_LENGTH).replace(/[\ud800-\udbff]$/, '')
}

function stemOf(word: string): string | undefined {
  if (stopWords.has(word)) return undefined
  if (/^[a-z]+$/.test(word)) return word.length > 40 ? word : stemmer(irregularForms.get(word) ?? word)
  if (HANGUL.test(word)) return withoutParticles(word)
  return word
}

function withoutParticles(word: string): string {
  for (let stem = word; ;) {
    const shorter = stem.replace(KOREAN_PARTICLE, '')
    if (shorter === stem || shorter.length < 2) return stem
    stem = shorter
  }
}

/** `caroline's` is caroline, `don't` is dont. */
function withoutApostrophes(found: RegExpMatchArray | null): string[] {
  if (found === null) return []
  const words: string[] = found
  for (const [index, word] of words.entries()) {
    if (/['\u2019]/.test(word)) words[index] = word.replace(/['\u2019]s$/, '').replaceAll(/['\u2019]/g, '')
  }
  return words
}
