/** The most that a tool shows, in characters: what a model can take and still have room to think. */
export const MAX_SHOWN = 50_000
/** The longest line of a search. */
const MAX_FOUND_LINE = 1000

/** The lines from the beginning that fit together, at least one; a line that does not fit alone is cut. */
export function linesThatFit(lines: readonly string[]): string[] {
  const shown: string[] = []
  let length = 0
  for (const line of lines) {
    length += line.length + 1
    if (length > MAX_SHOWN && shown.length > 0) break
    shown.push(cutLine(line, MAX_SHOWN))
  }
  return shown
}

export function foundLine(line: string): string {
  return cutLine(line, MAX_FOUND_LINE)
}

/** Cut between characters, and never in silence. */
export function cutLine(line: string, maxLength: number): string {
  if (line.length <= maxLength) return line
  const start = line.slice(0, maxLength)
  const shown = start.isWellFormed() ? start : start.slice(0, -1)
  return `${shown}… [cut: ${line.length - shown.length} of ${line.length} characters of this line are not shown]`
}
