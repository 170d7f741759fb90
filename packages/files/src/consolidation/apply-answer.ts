import type { FileErrorCode } from '../files.ts'
import { parseFilePath } from '../paths.ts'
import { shownText, unixText } from '../text.ts'
import { createTopic } from '../toolset/memory-tools.ts'
import { losesHalf, type TextEdit } from '../toolset/memory-copy.ts'
import type { MemoryToolset } from '../toolset/memory-toolset.ts'
import type { ConsolidationAnswer, ConsolidationChange } from './consolidation-answer.ts'

/** Why a change of a file was not made. */
export type RefusalCode = FileErrorCode | 'not_shown' | 'not_writable' | 'shrinks' | 'no_description' | 'nothing_to_do'

export interface Refusal {
  path: string
  code: RefusalCode
  message: string
}

export interface AppliedAnswer {
  /** Files of the copy that were changed, and made. */
  changed: string[]
  created: string[]
  /** Files that were already as the answer wants them. */
  unchanged: string[]
  /** Files that were left as they are. */
  refused: Refusal[]
}

/** What an answer may touch, by paths. */
export interface Reach {
  /** Shown, and may be changed. */
  writable: ReadonlySet<string>
  /** Shown to be known. */
  readable: ReadonlySet<string>
  /** Directories in which files may be made, without a slash at the end. */
  creatable: readonly string[]
}

type Outcome = 'changed' | 'created' | 'unchanged' | Omit<Refusal, 'path'>

/** Does to the copy what an answer says, file by file: all that it says of one, or nothing. */
export function applyAnswer(
  toolset: MemoryToolset,
  answer: ConsolidationAnswer,
  reach: Reach,
  sources: readonly string[],
): AppliedAnswer {
  const result: AppliedAnswer = { changed: [], created: [], unchanged: [], refused: [] }
  for (const change of answer.changes) {
    const parsed = parseFilePath(change.path)
    const path = parsed.ok ? parsed.value.path : change.path
    const outcome = parsed.ok
      ? applyChange(toolset, { ...change, path }, reach, sources)
      : ({ code: 'invalid_path', message: parsed.message } as const)
    if (typeof outcome === 'object') result.refused.push({ path, ...outcome })
    else if (!result[outcome].includes(path)) result[outcome].push(path)
  }
  result.unchanged = result.unchanged.filter((path) => ![...result.changed, ...result.created].includes(path))
  return result
}

function applyChange(
  { copy }: MemoryToolset,
  change: ConsolidationChange,
  reach: Reach,
  sources: readonly string[],
): Outcome {
  const { path, edits = [], content, description = '', reason } = change
  const exists = copy.paths().includes(path)
  const isNew = !exists && !reach.writable.has(path)
  if (isNew) {
    if (!reach.creatable.some((directory) => path.startsWith(`${directory}/`))) {
      return { code: 'not_shown', message: 'this file was not shown, and no file may be made here' }
    }
    if (content === undefined) return { code: 'not_found', message: 'there is no such file, and no content for one' }
    if (description.trim() === '') return { code: 'no_description', message: 'a new file needs a description' }
    const made = createTopic(copy, { path, description, content }, sources)
    return made.ok ? 'created' : made
  }
  if (!reach.writable.has(path)) {
    // An answer that came twice finds its own file.
    if (content !== undefined && isSame(copy.read(path), content)) return 'unchanged'
    return reach.readable.has(path)
      ? { code: 'not_writable', message: 'this file was shown, but may not be changed' }
      : { code: 'not_shown', message: 'there is a file here that was not shown' }
  }
  const before = copy.read(path)
  if (!before.ok && before.code !== 'not_found') return before
  const text = before.ok ? before.value : ''
  if (content === undefined && edits.length === 0)
    return { code: 'nothing_to_do', message: 'neither edits nor content' }
  const options = { keepHalf: true, reason, sources }
  if (content !== undefined) {
    if (isSame(before, content)) return 'unchanged'
    if (losesHalf(text, content) && (reason ?? '').trim() === '') return shrinks(text, content)
    const written = copy.write(path, content.endsWith('\n') ? content : `${content}\n`, options)
    return written.ok ? (exists ? 'changed' : 'created') : written
  }
  const left = notDone(text, edits)
  if (left.length === 0) return 'unchanged'
  const edited = copy.editAll(path, left, options)
  if (edited.ok) return 'changed'
  return edited.code === 'permission_denied' ? { code: 'shrinks', message: edited.message } : edited
}

function shrinks(before: string, after: string): Omit<Refusal, 'path'> {
  const message = `more than half of the file would go (${before.length} to ${after.length} characters), without a reason`
  return { code: 'shrinks', message }
}

/** Whether a file holds a text: alone, or below its front matter. */
function isSame(file: { ok: true; value: string } | { ok: false }, content: string): boolean {
  if (!file.ok) return false
  const [text, wanted] = [shownText(file.value).trim(), unixText(content).trim()]
  return text === wanted || (text.startsWith('---\n') && text.endsWith(`\n---\n\n${wanted}`))
}

/**
 * The edits that are still to be made. One is done if what it puts in is there, and what it replaces is not, or is a part
 * of it, such as the line below which it adds one.
 */
function notDone(content: string, edits: readonly { old_str: string; new_str: string }[]): TextEdit[] {
  const text = shownText(content)
  return edits
    .map(({ old_str, new_str }) => ({ oldText: unixText(old_str), newText: unixText(new_str) }))
    .filter(({ oldText, newText }) => {
      if (oldText === newText) return false
      const isThere = newText === '' || text.includes(newText)
      return !(isThere && (newText.includes(oldText) || !text.includes(oldText)))
    })
}
