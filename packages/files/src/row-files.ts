import { records, type Clock, type Owner, type RowStore } from '@keepsake/core'
import { filesOver } from './files-over.ts'
import type { Files } from './files.ts'
import { recordTree, type Content } from './record-tree.ts'

/**
 * Memory files in any store: each is a record of its owner, in a key space of its own. Versions are those of records, so
 * a write whose answer was lost is recognised, and edits by many processes all land. Erasing the owner erases them.
 *
 * Directories are where files lie, and vanish with the last one. Nothing can be made below a file, except by two writes at
 * the same time: then both files are shown and can be used. `ls`, `glob` and `grep` read everything below the
 * directory that they look in. Throws `invalid_key` for an owner that cannot be stored.
 *
 * ```ts
 * const files = rowFiles(store, ['users', 'ada'])
 * await files.write('/AGENTS.md', '# About the user\n', { ifVersion: null })
 * ```
 */
export function rowFiles(store: RowStore, owner: Owner, options: { clock?: Clock } = {}): Required<Files> {
  return filesOver(recordTree(records<Content>(store, owner, { area: 'f', ...options })))
}
