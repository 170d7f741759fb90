import type { CallOptions } from '@keepsake/core'
import { failure, ok } from '../failures.ts'
import { markable } from '../file-sources.ts'
import type { FileOrigin, Files, Result } from '../files.ts'
import { replayChanges, type CopiedFile, type CopyState } from './memory-copy.ts'

export interface FlushResult {
  /** The files that were written, in the order of paths. */
  written: string[]
  /** Changes that could not be brought together with what somebody else wrote. Nothing of these files was written. */
  conflicts: { path: string; message: string }[]
  /** Of those that were written, the files that wait for review now. Left out where there are none. */
  quarantined?: string[]
}

/** How often a file is merged anew where others keep writing it. */
const MAX_TRIES = 20

export interface FlushOptions extends CallOptions {
  /**
   * Names what is written, the same for every attempt at it in whatever process: a file that holds it already is not
   * changed again. Default: a name for each file, kept until its write has been answered.
   */
  opId?: string
}

/** Writes what the copy has changed, file by file: each over the version that was read, or merged into a newer one. */
export async function flushCopy(
  files: Files,
  copy: CopyState,
  { opId, ...options }: FlushOptions,
  newId: () => string,
): Promise<FlushResult> {
  const changed = [...copy.files]
    .filter(([path, file]) => isChanged(path, file))
    .toSorted(([a, one], [b, other]) => movesFirst(a, one, b, other))
  const result: FlushResult = { written: [], conflicts: [] }
  for (const [path] of changed) {
    // Looked at now: tools may go on while other files are written.
    const file = copy.files.get(path)
    if (file === undefined || !isChanged(path, file)) continue
    const named = { ...file, opId: opId ?? file.opId ?? newId() }
    // Kept, so that a repeat after a lost answer is known for one.
    copy.files.set(path, named)
    const written = await writeFile(files, copy, path, named, options)
    if (written.ok) {
      keepWritten(copy, named, written.value)
      result.written.push(path)
      if (written.value.quarantined) result.quarantined = [...(result.quarantined ?? []), path].toSorted()
    } else result.conflicts.push({ path, message: written.message })
  }
  result.written.sort()
  return result
}

/**
 * What was written is what the copy begins with from now on, and what tools did to the file meanwhile is done to that.
 * Where it cannot be, the next flush finds out: it knows of no newer version.
 */
function keepWritten(copy: CopyState, written: NamedFile, origin: Origin): void {
  for (const [path, file] of copy.files) {
    const isIt = written.origin === undefined ? file.changes[0] === written.changes[0] : file.origin === written.origin
    if (!isIt) continue
    const changes = file.changes.slice(written.changes.length)
    const content = replayChanges(origin.content, changes)
    // Which of the sources are those of the changes since is not known.
    const sources = changes.length > 0 && file.sources !== undefined ? { sources: file.sources } : {}
    if (content.ok) copy.files.set(path, { origin, content: content.value, changes, ...sources })
    return
  }
}

function isChanged(path: string, { origin, content, changes }: CopiedFile): boolean {
  if (origin === undefined) return changes.length > 0
  return origin.path !== path || origin.content !== content
}

/** What moves away makes room for what is made in its place. */
function movesFirst(a: string, one: CopiedFile, b: string, other: CopiedFile): number {
  const [moved, alsoMoved] = [isMoved(a, one), isMoved(b, other)]
  return moved === alsoMoved ? (a < b ? -1 : 1) : moved ? -1 : 1
}

const isMoved = (path: string, { origin }: CopiedFile): boolean => origin !== undefined && origin.path !== path

type NamedFile = CopiedFile & { opId: string }
type Origin = NonNullable<CopiedFile['origin']>
type Written = Promise<Result<Origin & Pick<FileOrigin, 'quarantined'>>>

async function writeFile(files: Files, copy: CopyState, path: string, file: NamedFile, options: CallOptions): Written {
  const refused = markable(files, path, file.sources)
  if (refused !== undefined) return refused
  return isMoved(path, file)
    ? moveFile(files, copy, path, file, options)
    : writeInPlace(files, copy, path, file, options)
}

async function writeInPlace(
  files: Files,
  copy: CopyState,
  path: string,
  { origin, content, changes, sources, opId }: NamedFile,
  options: CallOptions,
): Written {
  let [text, version] = [content, origin?.version ?? null]
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const written = await files.write(path, text, { ...options, ifVersion: version, opId, sources })
    if (written.ok) return asStored(files, path, text, written.value.version, options)
    if (written.code !== 'conflict' && written.code !== 'exists') return written
    const fresh = await files.read(path, options)
    if (!fresh.ok) {
      if (fresh.code !== 'not_found' || origin !== undefined) return deleted(fresh)
      version = null
      continue
    }
    // Our own write, whose answer was lost.
    if (fresh.value.content === text) return ok({ path, ...fresh.value })
    const merged = replayChanges(fresh.value.content, changes)
    if (!merged.ok) return merged
    const checked = copy.check(merged.value, fresh.value.content)
    if (!checked.ok) return checked
    ;[text, version] = [merged.value, fresh.value.version]
  }
  return failure('conflict', `others kept writing the file; it was merged ${MAX_TRIES} times`)
}

/** The file as it is now: a write that had landed before may have been changed by others since. */
async function asStored(files: Files, path: string, text: string, version: string, options: CallOptions): Written {
  const now = await files.read(path, options)
  return ok(now.ok ? { path, ...now.value } : { path, content: text, version })
}

/** The new file first: after a crash in between both are there, never none. */
async function moveFile(files: Files, copy: CopyState, path: string, file: NamedFile, options: CallOptions): Written {
  if (files.delete === undefined) return failure('permission_denied', `Permission denied moving ${file.origin!.path}`)
  const from = file.origin!.path
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const source = await files.read(from, options)
    if (!source.ok) return deleted(source)
    const text =
      source.value.version === file.origin!.version
        ? ok(file.content)
        : replayChanges(source.value.content, file.changes)
    if (!text.ok) return text
    const checked = copy.check(text.value, source.value.content)
    if (!checked.ok) return checked
    const sources = [...(source.value.sources ?? []), ...(file.sources ?? [])]
    const made = await files.write(path, text.value, { ...options, ifVersion: null, opId: file.opId, sources })
    const there = made.ok ? ok({ content: text.value, version: made.value.version }) : await files.read(path, options)
    if (!there.ok || there.value.content !== text.value) {
      return failure('exists', 'somebody else made a file at this path meanwhile')
    }
    const gone = await files.delete(from, { ...options, ifVersion: source.value.version })
    if (gone.ok || gone.code === 'not_found') return ok({ path, ...there.value })
    const undone = await files.delete(path, { ...options, ifVersion: there.value.version })
    if (gone.code !== 'conflict' || !undone.ok) return gone
  }
  return failure('conflict', `others kept writing ${from}`)
}

function deleted(result: Result<unknown> & { ok: false }): Result<never> {
  return result.code === 'not_found' ? failure('conflict', 'somebody else deleted the file meanwhile') : result
}
