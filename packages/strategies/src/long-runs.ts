/** A part of a text, in pieces that are counted one by one; their sum times `weight` is its count. */
export interface CountedPart {
  pieces: string[]
  weight: number
}

/** Longest run without a break that is counted as it is, and the length of the pieces of longer ones, in UTF-16 units. */
const MAX_RUN_UNITS = 256
/** Of a longer run than this only samples are counted. */
const MAX_COUNTED_UNITS = 8_192
const SAMPLES = MAX_COUNTED_UNITS / MAX_RUN_UNITS

/** A text in parts: what lies between long runs as it is, and each long run in pieces. One pass. */
export function splitLongRuns(text: string): CountedPart[] {
  const parts: CountedPart[] = []
  let taken = 0
  function takeRun(start: number, end: number): void {
    if (end - start <= MAX_RUN_UNITS) return
    if (start > taken) parts.push({ pieces: [text.slice(taken, start)], weight: 1 })
    parts.push(runParts(text, start, end))
    taken = end
  }

  let start = 0
  for (let i = 1; i < text.length; i++) {
    if (!isBreak(text.charCodeAt(i - 1), text.charCodeAt(i))) continue
    takeRun(start, i)
    start = i
  }
  takeRun(start, text.length)
  if (taken < text.length) parts.push({ pieces: [text.slice(taken)], weight: 1 })
  return parts
}

function runParts(text: string, start: number, end: number): CountedPart {
  const pieces: string[] = []
  let counted = 0
  const take = (from: number, to: number): void => {
    const piece = text.slice(wholeCharacter(text, from), wholeCharacter(text, to))
    counted += piece.length
    pieces.push(piece)
  }
  if (end - start <= MAX_COUNTED_UNITS) {
    for (let i = start; i < end; i += MAX_RUN_UNITS) take(i, Math.min(i + MAX_RUN_UNITS, end))
    return { pieces, weight: 1 }
  }
  for (let sample = 0; sample < SAMPLES; sample++) {
    const from = start + Math.floor(((end - start - MAX_RUN_UNITS) * sample) / (SAMPLES - 1))
    take(from, from + MAX_RUN_UNITS)
  }
  return { pieces, weight: (end - start) / counted }
}

/** Not between the halves of a character. */
function wholeCharacter(text: string, i: number): number {
  const unit = text.charCodeAt(i)
  const before = text.charCodeAt(i - 1)
  return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff ? i - 1 : i
}

/** Whether o200k_base always cuts between two units: the count of a text is the sum of those on both sides. */
export function isBreak(before: number, unit: number): boolean {
  if (unit === 32 || unit === 9) return before < 0x80 ? !isSpace(before) : isLetter(before)
  const letter = isAsciiLetter(before)
  const digit = before >= 48 && before <= 57
  if (letter || digit) {
    // An apostrophe may belong to the word before it.
    if (unit < 0x80) return letter ? !isAsciiLetter(unit) && unit !== 39 : !(unit >= 48 && unit <= 57)
    return false
  }
  return isLetter(before) && isMark(unit)
}

function isSpace(unit: number): boolean {
  return unit === 32 || (unit >= 9 && unit <= 13)
}

function isAsciiLetter(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90)
}

/** The usual letters of Chinese, Japanese and Korean. */
function isLetter(unit: number): boolean {
  return (
    (unit >= 0x4e00 && unit <= 0x9fa5) ||
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    (unit >= 0xac00 && unit <= 0xd7a3)
  )
}

/** Marks that end a sentence or a part of one: of ASCII, and those of Chinese and Japanese. */
function isMark(unit: number): boolean {
  if (unit < 0x80) return !isAsciiLetter(unit) && unit > 32 && unit !== 39 && !(unit >= 48 && unit <= 57)
  return (
    unit === 0x3001 ||
    unit === 0x3002 ||
    unit === 0xff01 ||
    unit === 0xff0c ||
    unit === 0xff1a ||
    unit === 0xff1b ||
    unit === 0xff1f
  )
}
