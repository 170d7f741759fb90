import { diff3Merge } from 'node-diff3'
import { failure, ok } from '../failures.ts'
import type { Result } from '../files.ts'
import { unixText } from '../text.ts'

/** Comparing takes lines times lines where many are equal. */
const MAX_MERGED_LINES = 5_000

/**
 * What two made of the same text, in one: changes to different lines are both there, and so are lines that both put into
 * the same place, theirs first. Where both changed the same lines there is no telling: `conflict`.
 */
export function mergeLines(base: string, ours: string, theirs: string): Result<string> {
  if (base === theirs) return ok(ours)
  if (ours === theirs || base === ours) return ok(theirs)
  const [baseLines, ourLines, theirLines] = [base, ours, theirs].map((text) => unixText(text).split('\n')) as [
    string[],
    string[],
    string[],
  ]
  if (Math.max(baseLines.length, ourLines.length, theirLines.length) > MAX_MERGED_LINES) {
    return failure('conflict', `somebody else changed the file, which has too many lines to be merged`)
  }
  const merged: string[] = []
  for (const region of diff3Merge(ourLines, baseLines, theirLines, { excludeFalseConflicts: true })) {
    if (region.ok !== undefined) merged.push(...region.ok)
    else {
      const { a, o, b } = region.conflict!
      if (o.length > 0) return failure('conflict', 'somebody else changed the same lines meanwhile')
      merged.push(...b, ...withoutLines(a, b))
    }
  }
  // The file keeps its own line endings.
  return ok(merged.join(theirs.includes('\r\n') ? '\r\n' : '\n'))
}

function withoutLines(lines: readonly string[], known: readonly string[]): string[] {
  const have = new Set(known.filter((line) => line.trim() !== ''))
  return lines.filter((line) => !have.has(line))
}
