import type { Dirent, Stats } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { compareUtf8, throwIfAborted, type CallOptions } from '@keepsake/core'
import { ok } from '../failures.ts'
import type { FileInfo } from '../files.ts'
import { parsePath, toPath } from '../paths.ts'
import { checkInside, pinDirectory, type PinnedDirectory } from './pinned-directory.ts'
import { settle } from './refusal.ts'

/** Something in a directory that can be reached by its path. */
export interface Child {
  info: FileInfo
  name: string
  /** A link to it; where it leads is in the root. */
  isLink: boolean
}

/** What is in a directory, in the order of names: files and directories that the other verbs would accept. */
export async function children(
  root: string,
  directory: PinnedDirectory,
  segments: readonly string[],
): Promise<Child[]> {
  const entries = await readdir(directory.at('.'), { withFileTypes: true })
  await directory.verify()
  const found = await Promise.all(
    entries
      .toSorted((a, b) => compareUtf8(a.name, b.name))
      .map((entry) => child(root, directory, [...segments, entry.name], entry)),
  )
  return found.filter((entry) => entry !== undefined)
}

async function child(
  root: string,
  directory: PinnedDirectory,
  segments: readonly string[],
  entry: Dirent,
): Promise<Child | undefined> {
  const parsed = parsePath(toPath(segments))
  if (!parsed.ok || parsed.value.segments.length !== segments.length) return undefined
  const { path } = parsed.value
  try {
    if (entry.isSymbolicLink()) checkInside(root, await realpath(directory.at(entry.name)))
    const stats = await stat(directory.at(entry.name))
    return stats.isFile() || stats.isDirectory()
      ? { info: toInfo(path, stats), name: entry.name, isLink: entry.isSymbolicLink() }
      : undefined
  } catch {
    // Gone meanwhile, not ours to see, or a link that leads nowhere or out: as if it were not there.
    return undefined
  }
}

export function toInfo(path: string, stats: Stats): FileInfo {
  if (stats.isDirectory()) return { path, directory: true }
  return { path, directory: false, sizeBytes: stats.size, updatedAtMs: Math.floor(stats.mtimeMs) }
}

/**
 * Every file below a directory, in the order of paths segment by segment. Links to files are found, links to directories
 * are not followed: what lies there is found where it is, and a circle has no end. A directory that cannot be read is
 * passed over.
 */
export async function* walkDirectory(
  root: string,
  directory: PinnedDirectory,
  segments: readonly string[],
  maxDepth: number,
  options: CallOptions,
): AsyncGenerator<FileInfo> {
  throwIfAborted(options.signal)
  const found = await settle('reading', toPath(segments), async () => ok(await children(root, directory, segments)))
  if (!found.ok) return
  for (const { info, name, isLink } of found.value) {
    if (!info.directory) yield info
    else if (!isLink && segments.length + 1 < maxDepth) {
      const opened = await settle('reading', info.path, async () => ok(await pinDirectory(root, directory.at(name))))
      if (!opened.ok) continue
      await using below = opened.value
      yield* walkDirectory(root, below, [...segments, name], maxDepth, options)
    }
  }
}
