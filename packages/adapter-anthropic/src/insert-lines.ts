/** Where a text goes in, and what was there when that was decided. */
export interface Insertion {
  /** After so many lines. */
  line: number
  text: string
  /** The lines that it was decided on. */
  seen: readonly string[]
}

/**
 * The text with lines put in. Where somebody else has changed it meanwhile, the place is the one after the same lines, or
 * before the same: `undefined` if neither is left. The file keeps its line endings.
 */
export function insertLines(content: string, { line, text, seen }: Insertion): string | undefined {
  const ending = content.includes('\r\n') ? '\r\n' : '\n'
  const lines = content.split(/\r?\n/)
  const at = placeIn(lines, seen, line)
  if (at === undefined) return undefined
  const inserted = text.replace(/\r?\n$/, '').replaceAll(/\r?\n/g, ending)
  // Only the seams are new: every other line ending stays as it is, mixed ones too.
  const kept = content.split('\n')
  const before = kept.slice(0, at).join('\n')
  const after = kept.slice(at).join('\n')
  if (at === 0) return `${inserted}${ending}${after}`
  if (at === kept.length) return `${before}${ending}${inserted}`
  return `${before}\n${inserted}${ending}${after}`
}

function placeIn(lines: readonly string[], seen: readonly string[], line: number): number | undefined {
  if (isSame(lines.slice(0, line), seen.slice(0, line))) return line
  const rest = seen.slice(line)
  const at = lines.length - rest.length
  return at >= 0 && isSame(lines.slice(at), rest) ? at : undefined
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index])
}
