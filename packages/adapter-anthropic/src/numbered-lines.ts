const MAX_LINES = 999_999
const NUMBER_WIDTH = 6
/** Lines before and after a change that are shown with it. */
const CONTEXT = 2

/** The text as models are shown it: lines end with LF, and there is no byte-order mark. */
function shownText(text: string): string {
  return (text.startsWith('\uFEFF') ? text.slice(1) : text).replaceAll('\r\n', '\n')
}

/** The lines of a file with their numbers, or those of `[first, last]`; `-1` is the last there is. */
export function numberedFile(text: string, path: string, range: readonly number[] | undefined): string {
  const lines = shownText(text).split('\n')
  if (lines.length > MAX_LINES) {
    const most = MAX_LINES.toLocaleString('en-US')
    throw new Error(`File ${path} has too many lines (${lines.length}). Maximum is ${most} lines.`)
  }
  if (range?.length !== 2) return numbered(lines, 1)
  const first = Math.max(1, range[0]!)
  return numbered(lines.slice(first - 1, range[1] === -1 ? lines.length : range[1]), first)
}

/** The lines around one, which is counted from 1. */
export function snippetAt(text: string, line: number): string {
  const lines = shownText(text).split('\n')
  const start = Math.max(0, line - 1 - CONTEXT)
  return numbered(lines.slice(start, line + CONTEXT), start + 1)
}

function numbered(lines: readonly string[], from: number): string {
  return lines.map((line, index) => `${String(index + from).padStart(NUMBER_WIDTH)}\t${line}`).join('\n')
}
