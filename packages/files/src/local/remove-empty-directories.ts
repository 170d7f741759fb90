import { realpath, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pinDirectory } from './pinned-directory.ts'

/**
 * Removes the directories of a file that is gone, the deepest first, as long as they are empty, and never the root: their
 * names are data too, and in rows or a bucket there are none without files. What a link leads through stays.
 */
export async function removeEmptyDirectories(root: string, segments: readonly string[]): Promise<void> {
  try {
    const realRoot = await realpath(root)
    for (let depth = segments.length - 1; depth > 0; depth--) {
      const parent = join(realRoot, ...segments.slice(0, depth - 1))
      if ((await realpath(parent)) !== parent) return
      await using directory = await pinDirectory(realRoot, parent)
      await rmdir(directory.at(segments[depth - 1]!))
      await directory.sync()
    }
  } catch {
    // Not empty, gone already, or not ours to remove: then it stays.
  }
}
