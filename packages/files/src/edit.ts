import { failure, ok, wouldBeTooLarge } from './failures.ts'
import { MAX_FILE_BYTES, type Result } from './files.ts'
import { finder, type Find } from './finder.ts'
import { unixText } from './text.ts'

export interface EditedText {
  content: string
  /** Where the replacements begin, counted from 1 in the new text. */
  lines: number[]
}

/**
 * Replaces `oldText` in `content`: its only occurrence, or with `all` every one from left to right.
 *
 * Texts are compared with LF for CRLF on both sides, because that is how readers are shown them, and occurrences are
 * counted after that: two places that differ in nothing else are two. What is inserted gets the line endings of the place
 * it replaces, else those of most of the file. Only what differs between the two texts is touched, so every other byte
 * stays, a byte-order mark and mixed line endings included. A text that cannot fit into a file is not built.
 */
export function editText(content: string, oldText: string, newText: string, all = false): Result<EditedText> {
  if (oldText === '') return failure('no_match', 'String not found in file: the text to replace is empty')
  const text = unixText(content)
  const wanted = unixText(oldText)
  const find = finder(wanted)
  const starts = occurrences(text, wanted, find)
  if (starts.length === 0) return failure('no_match', 'String not found in file')
  if (!all && isAmbiguous(text, starts, find)) return failure('many_matches', describe(text, starts, find))

  const usual = usualEnding(content)
  // In a file of a single line there is no ending to keep.
  const inserted = usual === undefined ? newText : unixText(newText)
  // A character has at least one byte, and an ending of the place only adds to that.
  const leastBytes = text.length + starts.length * (inserted.length - wanted.length)
  if (leastBytes > MAX_FILE_BYTES) return wouldBeTooLarge(leastBytes)
  const [same, sameEnd] = commonEnds(wanted, inserted)
  const rawIndex = rawIndexes(content, text)
  const lineOf = lineCounter(text)
  const addedLines = count(inserted, '\n') - count(wanted, '\n')
  const lines: number[] = []
  let edited = ''
  let kept = 0
  for (const [index, start] of starts.entries()) {
    const end = start + wanted.length
    const ending = firstEnding(content.slice(rawIndex(start), rawIndex(end))) ?? usual
    edited += content.slice(kept, rawIndex(start + same))
    edited += withEnding(inserted.slice(same, inserted.length - sameEnd), ending)
    kept = rawIndex(end - sameEnd)
    lines.push(lineOf(start) + index * addedLines)
  }
  return ok({ content: edited + content.slice(kept), lines })
}

/** Without overlaps, from left to right. */
function occurrences(text: string, wanted: string, find: Find): number[] {
  const starts: number[] = []
  for (let at = find(text, 0); at !== -1; at = find(text, at + wanted.length)) starts.push(at)
  return starts
}

/** `aa` is in `aaa` twice: which one is meant, cannot be known. */
function isAmbiguous(text: string, starts: readonly number[], find: Find): boolean {
  return starts.length > 1 || find(text, starts[0]! + 1) !== -1
}

function describe(text: string, starts: readonly number[], find: Find): string {
  const all = starts.length > 1 ? starts : [starts[0]!, find(text, starts[0]! + 1)]
  const lineOf = lineCounter(text)
  const lines = [...new Set(all.map(lineOf))]
  const shown = lines.length > 10 ? `${lines.slice(0, 10).join(', ')}, …` : lines.join(', ')
  return `String occurs ${all.length} times (lines ${shown}); make it unique or set replace_all`
}

/** Tells the line of a position, counted from 1, for positions that are asked in ascending order. */
function lineCounter(text: string): (position: number) => number {
  let line = 1
  let seen = 0
  return (position) => {
    line += count(text.slice(seen, position), '\n')
    seen = position
    return line
  }
}

/** Where a position of the text with LF lies in the text as it is stored. */
function rawIndexes(content: string, text: string): (position: number) => number {
  if (content.length === text.length) return (position) => position
  const indexes = new Uint32Array(text.length + 1)
  let raw = 0
  for (let i = 0; i < text.length; i++) {
    indexes[i] = raw
    raw += content[raw] === '\r' && content[raw + 1] === '\n' ? 2 : 1
  }
  indexes[text.length] = raw
  return (position) => indexes[position]!
}

/** How many characters at the beginning and at the end are the same in both. */
function commonEnds(a: string, b: string): [start: number, end: number] {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  return [start, end]
}

type Ending = '\n' | '\r\n'

function usualEnding(content: string): Ending | undefined {
  const all = count(content, '\n')
  if (all === 0) return undefined
  return count(content, '\r\n') * 2 > all ? '\r\n' : '\n'
}

function firstEnding(text: string): Ending | undefined {
  const at = text.indexOf('\n')
  if (at === -1) return undefined
  return text[at - 1] === '\r' ? '\r\n' : '\n'
}

function withEnding(text: string, ending: Ending | undefined): string {
  return ending === '\r\n' ? text.replaceAll('\n', '\r\n') : text
}

function count(text: string, part: string): number {
  let found = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found++
  return found
}
