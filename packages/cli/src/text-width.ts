/** Columns that a line of text takes in a terminal: 2 for wide East Asian characters and emoji, 0 for combining marks. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let columns = 0
  for (const { segment } of graphemes().segment(text)) columns += graphemeWidth(segment)
  return columns
}

/** The text, cut to at most `columns` with `…` at its end if anything is missing. */
export function fitWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  let fitted = ''
  let used = 0
  for (const { segment } of graphemes().segment(text)) {
    used += graphemeWidth(segment)
    if (used > columns - 1) break
    fitted += segment
  }
  return fitted + '…'
}

const ASCII = /^[\x20-\x7e]*$/
// Wide by Unicode's East Asian Width (UAX #11): the scripts, their punctuation and full-width forms, but not half-width ones.
const WIDE =
  /^(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u

function graphemeWidth(grapheme: string): number {
  if (/^\p{M}/u.test(grapheme)) return 0
  return WIDE.test(grapheme) || EMOJI.test(grapheme) ? 2 : 1
}

let segmenter: Intl.Segmenter | undefined

function graphemes(): Intl.Segmenter {
  return (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' }))
}
