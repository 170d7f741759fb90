import type { Redaction } from '@keepsake/privacy'

/** A line of a text in which something was found, or several, where something goes on over their end. */
export interface RedactedLine {
  /** The first of them, counted from 1. */
  line: number
  /** What it says, and what stands where something was found. */
  pieces: ({ text: string } | { kind: string })[]
  findings: { line: number; column: number; redaction: Redaction }[]
}

/** The lines of a text with findings in them, which are in their order and do not overlap. Lines end with a line feed. */
export function redactedLines(text: string, redactions: readonly Redaction[]): RedactedLine[] {
  const lines: RedactedLine[] = []
  let line = 1
  let lineStart = 0
  /** Where the last of `lines` ends, and how far it was cut into pieces. */
  let end = -1
  let at = 0
  for (const redaction of redactions) {
    for (let next = text.indexOf('\n', lineStart); next !== -1 && next < redaction.start;) {
      line++
      lineStart = next + 1
      next = text.indexOf('\n', lineStart)
    }
    if (redaction.start >= end) {
      finish()
      lines.push({ line, pieces: [], findings: [] })
      at = lineStart
    }
    const { pieces, findings } = lines.at(-1)!
    if (redaction.start > at) pieces.push({ text: text.slice(at, redaction.start) })
    pieces.push({ kind: redaction.name })
    findings.push({ line, column: redaction.start - lineStart + 1, redaction })
    at = redaction.end
    end = text.indexOf('\n', at)
    if (end === -1) end = text.length
  }
  finish()
  return lines

  function finish(): void {
    if (at < end) lines.at(-1)?.pieces.push({ text: text.slice(at, end).replace(/\r$/, '') })
  }
}
