import { editText } from '../edit.ts'
import { alreadyExists, failure, inReview, notFound, ok, permissionDenied, tooLarge } from '../failures.ts'
import { MAX_FILE_BYTES, type Result } from '../files.ts'
import { parseFilePath } from '../paths.ts'
import { encodeText, unixText } from '../text.ts'
import { mergeLines } from './merge-lines.ts'

/** One replacement of a text that occurs once. */
export interface TextEdit {
  oldText: string
  newText: string
}

/** What was done to a file, so that it can be done again to a fresh text. */
type Change = (TextEdit & { kind: 'edit' }) | { kind: 'write'; before: string; content: string }

/** A file as it was read. */
interface Origin {
  path: string
  content: string
  version: string
}

/** A file of the copy. Without an origin it is not stored yet. */
export interface CopiedFile {
  origin: Origin | undefined
  content: string
  changes: readonly Change[]
  /** What the changes were derived from, as far as that is not to be trusted. */
  sources?: readonly string[]
  /** Names the write of these changes, once one was tried. */
  opId?: string
}

export interface CopyChangeOptions {
  /** Refuse what leaves less than half of the file, unless there is a reason. Default `false`. */
  keepHalf?: boolean
  /** Why half of a file may go. */
  reason?: string | undefined
  /** What the change was derived from, as far as that is not to be trusted: it goes to the file with the change. */
  sources?: readonly string[] | undefined
}

/** A path that the copy may hold. */
export type Place = 'always' | 'topic'

/**
 * Memory files as one conversation works on them: read once, changed in memory, written by
 * {@link MemoryToolset.flush}. Only the files of the toolset can be reached: no other path is read or written. Those that
 * wait for review are not in it: what is asked of them is refused with `in_review`.
 */
export interface MemoryCopy {
  /** Every file that there is, in the order of paths. */
  paths(): string[]
  read(path: string): Result<string>
  edit(path: string, oldText: string, newText: string, options?: CopyChangeOptions): Result<{ lines: number[] }>
  /** Several edits of one file, one after the other: all of them or none. `lines` are those of the last. */
  editAll(path: string, edits: readonly TextEdit[], options?: CopyChangeOptions): Result<{ lines: number[] }>
  /** Replaces a file whole, or creates one. */
  write(path: string, content: string, options?: CopyChangeOptions): Result<void>
  /** Gives a file another path, at which there is none. */
  move(from: string, to: string, options?: Pick<CopyChangeOptions, 'sources'>): Result<void>
}

export interface MemoryCopyOptions {
  /** The most lines that a write may make. A file that has more may be changed, but not grow. */
  maxLines: number
  /** Where a path belongs; `undefined`: not to this memory. */
  placeOf: (path: string) => Place | undefined
  /** The text of a file that does not exist yet, if it has one. */
  templateOf: (path: string) => string | undefined
}

/** The files themselves, for whoever loads and writes them. */
export interface CopyState extends MemoryCopy {
  readonly files: Map<string, CopiedFile>
  /** Files that wait for review: neither shown nor changed. */
  readonly waiting: Set<string>
  check(content: string, before: string): Result<void>
}

export function memoryCopy({ maxLines, placeOf, templateOf }: MemoryCopyOptions): CopyState {
  const files = new Map<string, CopiedFile>()
  const waiting = new Set<string>()

  /** One rule for all ways to change a file. */
  function check(content: string, before: string): Result<void> {
    const bytes = encodeText(content)
    if (!bytes.ok) return bytes
    if (bytes.value.length > MAX_FILE_BYTES) return tooLarge(bytes.value.length)
    const [lines, had] = [lineCount(content), lineCount(before)]
    if (lines <= maxLines || lines <= had) return ok(undefined)
    const now = had > 0 ? `; it has ${had} now` : ''
    return failure('too_large', `the file would have ${lines} lines; at most ${maxLines} are allowed${now}`)
  }

  function located(path: string, verb: 'reading' | 'writing' | 'editing'): Result<string> {
    const parsed = parseFilePath(path)
    if (!parsed.ok) return parsed
    const { path: at } = parsed.value
    if (placeOf(at) === undefined) return permissionDenied(verb, at)
    return waiting.has(at) ? inReview(at) : ok(at)
  }

  /** The file, or what it begins as where it is one of those that are always there. */
  function current(path: string): CopiedFile | undefined {
    const file = files.get(path)
    if (file !== undefined) return file
    const template = templateOf(path)
    return template === undefined ? undefined : { origin: undefined, content: template, changes: [] }
  }

  function change(
    path: string,
    file: CopiedFile | undefined,
    to: string,
    how: readonly Change[],
    options: CopyChangeOptions,
  ) {
    const before = file?.content ?? ''
    const checked = check(to, before)
    if (!checked.ok) return checked
    if (options.keepHalf === true && (options.reason ?? '').trim() === '' && losesHalf(before, to)) {
      return failure(
        'permission_denied',
        `more than half of ${path} would go (${before.length} to ${to.length} characters); say why`,
      )
    }
    const changes = [...(file?.changes ?? []), ...how]
    files.set(path, { origin: file?.origin, content: to, changes, ...sourcesOf(file, options) })
    return ok(undefined)
  }

  function editAll(path: string, edits: readonly TextEdit[], options: CopyChangeOptions): Result<{ lines: number[] }> {
    const at = located(path, 'editing')
    if (!at.ok) return at
    const file = current(at.value)
    if (file === undefined) return notFound()
    let [text, lines]: [string, number[]] = [file.content, []]
    for (const { oldText, newText } of edits) {
      const edited = editText(text, oldText, newText)
      if (!edited.ok) return edited
      text = edited.value.content
      lines = edited.value.lines
    }
    const how = edits.map((edit) => ({ kind: 'edit', ...edit }) as const)
    const changed = change(at.value, file, text, how, options)
    return changed.ok ? ok({ lines }) : changed
  }

  return {
    files,
    waiting,
    check,
    paths: () => [...files.keys()].toSorted(),

    read(path) {
      const at = located(path, 'reading')
      if (!at.ok) return at
      const file = current(at.value)
      return file === undefined ? notFound() : ok(file.content)
    },

    edit: (path, oldText, newText, options = {}) => editAll(path, [{ oldText, newText }], options),
    editAll: (path, edits, options = {}) => editAll(path, edits, options),

    write(path, content, options = {}) {
      const at = located(path, 'writing')
      if (!at.ok) return at
      const file = current(at.value)
      const before = file?.content ?? ''
      const to = inStyleOf(before, content)
      if (files.has(at.value) && to === before) return ok(undefined)
      return change(at.value, file, to, [{ kind: 'write', before, content: to }], options)
    },

    move(from, to, options = {}) {
      const [source, target] = [located(from, 'writing'), located(to, 'writing')]
      if (!source.ok) return source
      if (!target.ok) return target
      const file = files.get(source.value)
      if (file === undefined) return notFound()
      if (files.has(target.value)) return alreadyExists()
      files.delete(source.value)
      files.set(target.value, { ...file, ...sourcesOf(file, options) })
      return ok(undefined)
    },
  }
}

/** Those of all changes so far, with those of one more. */
function sourcesOf(
  file: CopiedFile | undefined,
  { sources = [] }: Pick<CopyChangeOptions, 'sources'>,
): Pick<CopiedFile, 'sources'> {
  const all = new Set([...(file?.sources ?? []), ...sources])
  return all.size === 0 ? {} : { sources: [...all] }
}

/** Does the changes again, to a text that somebody else has changed meanwhile. */
export function replayChanges(fresh: string, changes: readonly Change[]): Result<string> {
  let text = fresh
  for (const change of changes) {
    if (change.kind === 'edit') {
      const edited = editText(text, change.oldText, change.newText)
      if (!edited.ok) return edited
      text = edited.value.content
    } else {
      const merged = mergeLines(change.before, change.content, text)
      if (!merged.ok) return merged
      text = merged.value
    }
  }
  return ok(text)
}

/** The lines of a text; the line ending of the last begins no other. */
export function lineCount(text: string): number {
  if (text === '') return 0
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.length - 1 : lines.length
}

/** Short files may well be rewritten: in them half is a line or two. */
const SHORT_CHARS = 200

/** Whether less than half of a text is left. */
export function losesHalf(before: string, after: string): boolean {
  return before.trim().length > SHORT_CHARS && after.trim().length < before.trim().length / 2
}

/** A whole text from a model has LF; a file that has CRLF throughout keeps it, and so does a byte-order mark. */
function inStyleOf(before: string, content: string): string {
  const isCrlf = before.includes('\r\n') && !/(?<!\r)\n/.test(before)
  const lines = isCrlf ? unixText(content).replaceAll('\n', '\r\n') : content
  return before.startsWith('\uFEFF') && !lines.startsWith('\uFEFF') ? `\uFEFF${lines}` : lines
}
