import type { GrepMatch } from './files.ts'
import { finder } from './finder.ts'
import { shownText, unixText } from './text.ts'

/** The lines in which `wanted` begins, each once. Both are compared with LF for CRLF, so `wanted` may span lines. */
export function grepText(content: string, wanted: string): Omit<GrepMatch, 'path'>[] {
  const text = shownText(content)
  const find = finder(unixText(wanted))
  const found: Omit<GrepMatch, 'path'>[] = []
  let line = 1
  let lineStart = 0
  for (let at = find(text, 0); at !== -1; at = find(text, lineStart)) {
    for (let end = text.indexOf('\n', lineStart); end !== -1 && end < at; end = text.indexOf('\n', lineStart)) {
      line++
      lineStart = end + 1
    }
    const lineEnd = text.indexOf('\n', at)
    found.push({ line, text: text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd) })
    if (lineEnd === -1) break
    line++
    lineStart = lineEnd + 1
  }
  return found
}
