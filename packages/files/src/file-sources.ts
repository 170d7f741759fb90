import { describeType, isQuarantined, KeepsakeError, untrustedText } from '@keepsake/core'
import { permissionDenied } from './failures.ts'
import type { Failure, FileOrigin, Files } from './files.ts'

/** What a file keeps of its sources, as URLs write them: a file system may have little room for what lies beside a file. */
const MAX_CHARACTERS = 1_000

/**
 * The sources of a file after a change: those before and those of the change, which are the newest. Where there is no room
 * for all, the oldest go; a file that is in quarantine stays there.
 */
export function addSources(before: readonly string[], added: readonly string[]): string[] {
  const all = [...before.filter((source) => !added.includes(source)), ...new Set(added)]
  const kept: string[] = []
  let room = MAX_CHARACTERS
  for (const source of all.toReversed()) {
    room -= encodeURIComponent(source).length + 1
    if (room < 0) break
    kept.unshift(source)
  }
  return isQuarantined(all) && !isQuarantined(kept) ? [untrustedText({ origin: 'unknown' }), ...kept.slice(1)] : kept
}

/** Throws `invalid_value` for what is no list of sources. */
export function checkSources(sources: readonly string[]): readonly string[] {
  const isList: boolean = Array.isArray(sources)
  if (isList && sources.every((source) => typeof source === 'string' && source.isWellFormed())) return [...sources]
  throw new KeepsakeError(
    'invalid_value',
    `sources must be a list of texts, as sourceText writes them; it is ${describeType(sources)}.`,
  )
}

/** Refuses what came from untrusted content where it could not be marked: by files that were made without `approve`. */
export function markable(files: Files, path: string, sources: readonly string[] | undefined): Failure | undefined {
  return files.approve === undefined && isQuarantined(sources) ? permissionDenied('writing', path) : undefined
}

/** What a reader is told of a file's sources. */
export function sourcesShown(sources: readonly string[] = []): FileOrigin {
  if (sources.length === 0) return {}
  return { sources: [...sources], ...(isQuarantined(sources) && { quarantined: true as const }) }
}
