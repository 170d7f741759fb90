import { resolve } from 'node:path'
import { describeType, KeepsakeError, systemClock, type Clock } from '@keepsake/core'
import { filesOver } from '../files-over.ts'
import type { Files } from '../files.ts'
import { localTree } from './local-tree.ts'

export interface LocalFilesOptions {
  /** A directory. One that is missing is made with the first write. A relative path is resolved now. */
  root: string
  /** Names locks and temporary files. Default: the process's. */
  clock?: Pick<Clock, 'newId'>
}

/**
 * A directory of the disk as a file system that nothing leads out of: no `..`, no link, on no verb, also when a directory
 * is swapped for a link between check and use (on Linux; elsewhere that is checked again right before and after, which
 * leaves a moment). Links that stay inside work. Making this object costs nothing and touches nothing.
 *
 * A version is the hash of a file's bytes, so what other programs write is seen. Writes are whole or not there: a
 * temporary file, `fsync`, a rename; what was acknowledged survives power loss. Among all processes that write through
 * Keepsake none loses another's: a write holds a lock file beside the file (`.keepsake-….lock`, never shown), and one
 * whose holder died is taken over. Another program's write between our last look and the rename is overwritten; at any
 * other time it is seen as a new version.
 *
 * Throws `invalid_value` for a root that is no path, and with the first use for one that is no directory.
 *
 * ```ts
 * const files = localFiles({ root: `memory/${pathSegment(userId)}` })
 * ```
 */
export function localFiles({ root, clock = systemClock() }: LocalFilesOptions): Required<Files> {
  if (typeof root !== 'string' || root === '' || root.includes('\0')) {
    const shown = typeof root === 'string' ? (root === '' ? 'empty' : 'a text with U+0000') : describeType(root)
    throw new KeepsakeError('invalid_value', `root must be the path of a directory; it is ${shown}.`)
  }
  return filesOver(localTree(resolve(root), clock))
}
