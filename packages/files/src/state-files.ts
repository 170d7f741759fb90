import { createListing, type Entry, type Key, type Records } from '@keepsake/core'
import { filesOver } from './files-over.ts'
import type { Files } from './files.ts'
import { recordTree, type Content, type PathRecords } from './record-tree.ts'

/**
 * The state that files can live in: this part of `Records`, with JSON as values. Every `Records` is one, and so is what
 * stages writes until a run commits and reads its own.
 */
export type FileState = Pick<Records<any>, 'get' | 'getMany' | 'update' | 'delete' | 'list'>

/** As it is kept: JSON, whatever the file holds. */
type StateContent = ({ text: string } | { base64: string }) & Pick<Content, 'sources'>

/**
 * Memory files in a thread's state: they share its life, are seen by no other thread, and are written when it is. Each is
 * an entry under `at` and the segments of its path: `['files', 'notes', 'a.md']`. Bytes that are no text are kept as
 * base64. What they cost, promise and refuse is what the state does; all else is as in `rowFiles`.
 *
 * ```ts
 * const files = stateFiles(records(store, ['threads', threadId]))
 * ```
 */
export function stateFiles(state: FileState, { at = ['files'] }: { at?: Key } = {}): Required<Files> {
  return filesOver(recordTree(below(state, [...at])))
}

/** The entries below a key, as records of their own. */
function below(state: FileState, at: Key): PathRecords {
  const keyOf = (path: Key): Key => [...at, ...path]
  function toEntry(entry: Entry<StateContent>): Entry<Content>
  function toEntry(entry: Entry<StateContent> | undefined): Entry<Content> | undefined
  function toEntry(entry: Entry<StateContent> | undefined): Entry<Content> | undefined {
    return entry && { ...entry, key: entry.key.slice(at.length), value: fromState(entry.value) }
  }
  return {
    get: async (path, options) => toEntry(await state.get(keyOf(path), options)),
    getMany: async (paths, options) => (await state.getMany(paths.map(keyOf), options)).map(toEntry),
    update: async (path, change, options) => {
      const entry = await state.update(
        keyOf(path),
        (value) => {
          const content = change(value === undefined ? undefined : fromState(value))
          return content && toState(content)
        },
        options,
      )
      return toEntry(entry)
    },
    delete: (path, options) => state.delete(keyOf(path), options),
    list: (path, { cursor: first, ...options } = {}) =>
      createListing(async (cursor) => {
        const page = await state.list(keyOf(path), { ...options, ...(cursor !== undefined && { cursor }) })
        return { ...page, items: page.items.map((entry) => toEntry(entry)) }
      }, first),
  }
}

function toState(content: Content): StateContent {
  if ('text' in content) return content
  const { bytes, ...rest } = content
  return { base64: btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join('')), ...rest }
}

function fromState(content: StateContent): Content {
  if ('text' in content) return content
  const { base64, ...rest } = content
  return { bytes: Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)), ...rest }
}
