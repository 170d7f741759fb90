import { findComments } from './find-comments.ts'
import type { Range } from './inline-comments.ts'

/**
 * Removes HTML comments from Markdown with LF line endings: those that CommonMark sees as HTML, so what stands in fenced,
 * indented or inline code stays, and a comment that is never closed removes nothing. Lines that held nothing else go, and
 * so do blank lines that would be left doubled. Takes any text, in time proportional to its length.
 */
export function stripComments(markdown: string): string {
  if (!markdown.includes('<!--')) return markdown
  return cut(markdown, joined(findComments(markdown), markdown))
}

/** Where the text goes on after the blank lines that begin at a position. */
export function afterBlankLines(text: string, from: number): number {
  let lineStart = from
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\n') lineStart = at + 1
    else if (text[at]!.trim() !== '') break
  }
  return lineStart
}

/** Comments with nothing but spaces between them are one. */
function joined(ranges: readonly Range[], markdown: string): Range[] {
  const all: Range[] = []
  for (const { start, end } of ranges) {
    const last = all.at(-1)
    if (last !== undefined && /^[ \t]*$/.test(markdown.slice(last.end, start))) last.end = end
    else all.push({ start, end })
  }
  return all
}

function cut(markdown: string, ranges: readonly Range[]): string {
  const pieces: string[] = []
  let ending = ''
  let kept = 0
  let lineEnd = -1
  const push = (piece: string): void => {
    pieces.push(piece)
    ending = (ending + piece.slice(-2)).slice(-2)
  }
  for (const { start, end } of ranges) {
    const before = markdown.slice(kept, start)
    const inLine = before.slice(before.lastIndexOf('\n') + 1)
    const isLineKept = inLine.length < before.length || kept === 0 || markdown[kept - 1] === '\n'
    // Looked for once in a line, however many comments it has.
    if (lineEnd < end) lineEnd = endOfLine(markdown, end)
    const isLast = markdown.slice(end, lineEnd).trim() === ''
    if (isLast && isLineKept && inLine.trim() === '') {
      push(before.slice(0, before.length - inLine.length))
      kept = Math.min(lineEnd + 1, markdown.length)
      if (ending === '' || ending === '\n\n') kept = afterBlankLines(markdown, kept)
    } else {
      // Spaces at the end of a line would be left to mean a line break.
      push(isLast ? before.trimEnd() : before)
      kept = end
    }
  }
  return pieces.join('') + markdown.slice(kept)
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}
