import type { Finding, RedactionPattern } from './pattern.ts'

/** Something that was found, and by which pattern. */
export interface Redaction extends Finding {
  name: string
}

/**
 * What the patterns find in a text, from its beginning to its end. Where findings overlap, the pattern that comes first in
 * the list has it; what an earlier one leaves of a later finding is not redacted.
 */
export function findRedactions(text: string, patterns: readonly RedactionPattern[]): Redaction[] {
  const taken: Redaction[] = []
  for (const pattern of patterns) {
    const found = [...pattern.find(text)]
      .filter(({ start, end }) => end > start)
      .map((finding) => ({ ...finding, name: pattern.name }))
    if (found.length === 0) continue
    const all = [...taken, ...found.filter((finding) => !overlapsAny(finding, taken))]
    all.sort((a, b) => a.start - b.start || b.end - a.end)
    taken.length = 0
    for (const one of all) if (one.start >= (taken.at(-1)?.end ?? 0)) taken.push(one)
  }
  return taken
}

/** The text with something else in the place of each redaction. */
export function replaceRedactions(
  text: string,
  redactions: readonly Redaction[],
  placeholder: (redaction: Redaction, found: string) => string,
): string {
  let replaced = ''
  let at = 0
  for (const redaction of redactions) {
    const { start, end } = redaction
    replaced += text.slice(at, start) + placeholder(redaction, text.slice(start, end))
    at = end
  }
  return replaced + text.slice(at)
}

/** `sorted` do not overlap each other. */
function overlapsAny({ start, end }: Finding, sorted: readonly Finding[]): boolean {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]!.end <= start) low = middle + 1
    else high = middle
  }
  return low < sorted.length && sorted[low]!.start < end
}
