import { utf8Length } from '@keepsake/core'
import { invalidPath, isDirectory, ok } from './failures.ts'
import type { Result } from './files.ts'

/** A path that was checked: what every file system works with, never the text that it was given. */
export interface VirtualPath {
  /** Empty for the root. */
  readonly segments: readonly string[]
  /** `/notes/a.md` */
  readonly path: string
}

/** The longest path, in bytes of UTF-8: it is the key of a row, which has room for 1,024. */
const MAX_PATH_BYTES = 1000
/** How long it may be written, with `//` and `/./` in it: what is longer is not worth looking at. */
const MAX_WRITTEN_LENGTH = 4 * MAX_PATH_BYTES
/** The longest name, in bytes: what disks take. */
const MAX_NAME_BYTES = 255
/** Names of our own on a disk: locks, and files that are being written. No file system shows or takes them. */
export const RESERVED_PREFIX = '.keepsake-'

/**
 * Checks a path once, for all file systems and verbs. It is refused, as `invalid_path`, if a segment is `..` or begins
 * with `~`, if it has a backslash or a control character anywhere (those of text direction too), is no well-formed text, is too long, or takes a name
 * that is ours. Only whole segments count: `a..b.md`, `[...slug].md`, spaces and all of Unicode are ordinary names.
 */
export function parsePath(path: unknown): Result<VirtualPath> {
  if (typeof path !== 'string') return invalidPath('a path must be a text')
  if (path.length > MAX_WRITTEN_LENGTH) return invalidPath(`a path may have ${MAX_PATH_BYTES} bytes`)
  // Separators first: whatever a platform would split by must not reach a disk inside a name.
  if (path.includes('\\')) return invalidPath('a path may not have a backslash; write /')
  if (!path.isWellFormed()) return invalidPath('a path must be well-formed Unicode')
  if (/[\p{Cc}\u2028\u2029]/u.test(path)) return invalidPath('a path may not have control characters')
  // They show another name than the one that is meant: `a<U+202E>dm.exe` is read as `aexe.md`.
  if (/\p{Bidi_Control}/u.test(path)) return invalidPath('a path may not have characters that control text direction')
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.')
  for (const segment of segments) {
    if (segment === '..') return invalidPath('a path may not have ".." segments; paths begin at the root')
    if (segment.startsWith('~')) return invalidPath('a segment may not begin with ~')
    if (segment.startsWith(RESERVED_PREFIX)) return invalidPath(`names with ${RESERVED_PREFIX} are reserved`)
    if (utf8Length(segment) > MAX_NAME_BYTES) {
      return invalidPath(`a name may have ${MAX_NAME_BYTES} bytes, one has ${utf8Length(segment)}`)
    }
  }
  const checked = toPath(segments)
  const bytes = utf8Length(checked)
  if (bytes > MAX_PATH_BYTES) return invalidPath(`a path may have ${MAX_PATH_BYTES} bytes, this has ${bytes}`)
  return ok({ segments, path: checked })
}

/** A path that names a file: not the root, and without a slash at its end. */
export function parseFilePath(path: unknown): Result<VirtualPath> {
  const parsed = parsePath(path)
  if (!parsed.ok) return parsed
  if (parsed.value.segments.length === 0) return isDirectory('/')
  if ((path as string).endsWith('/')) return invalidPath('a path of a file may not end with /')
  return parsed
}

export function toPath(segments: readonly string[]): string {
  return `/${segments.join('/')}`
}
