import { compareUtf8, KeepsakeError, throwIfAborted, type CallOptions } from '@keepsake/core'
import { checkFiles } from './check-files.ts'
import type { AskingFiles } from './file-approval.ts'
import { isDirectory, ok, permissionDenied } from './failures.ts'
import { markable } from './file-sources.ts'
import type { FileCallOptions, FileInfo, Files, GrepMatch, Result } from './files.ts'
import { compileGlob, type Glob } from './glob.ts'
import { inParallel } from './in-parallel.ts'
import { parseFilePath, parsePath, toPath, type VirtualPath } from './paths.ts'
import { copyUploads } from './uploads.ts'

export interface CompositeFilesOptions {
  /** Everything that lies in no mounted file system. */
  default: Files
  /** From a directory to what is mounted there, such as `{ '/policies': policyFiles }`. A mount may lie in another one. */
  routes: Readonly<Record<`/${string}`, Files>>
}

/** A file system and where it stands. */
interface Mount {
  at: VirtualPath
  files: Files
}

/** A path, and what it is called in the file system that has it. */
interface Placed {
  mount: Mount
  outer: string
  inner: string
}

/** How many files a download reads at a time. */
const MAX_AT_ONCE = 16

/**
 * Several file systems as one: a path belongs to the longest route that it lies in, which sees it without that route and
 * never learns where it stands; results and errors name the whole path. `/policies` and `/policies/` are the same mount,
 * and `/policies-old` lies outside. `ls`, `glob` and `grep` go over all of them, in one order.
 *
 * A mount is a directory, whatever it holds: what another file system has at its place, or above it as a file, is not
 * seen. A move from one mount to another copies and then deletes, so a crash in between leaves both. Where a file system
 * has no `delete` or `move`, they are refused with `permission_denied`.
 *
 * Throws `invalid_value` for a route that is no directory path, or two that are the same.
 *
 * ```ts
 * const files = compositeFiles({
 *   default: rowFiles(store, ['users', 'ada']),
 *   routes: { '/policies': localFiles({ root: 'policies' }) },
 * })
 * ```
 */
export function compositeFiles({ default: rest, routes }: CompositeFilesOptions): Required<Files> & AskingFiles {
  const mounts = toMounts(rest, routes)
  const isAbove = (path: VirtualPath): boolean => mounts.some(({ at }) => liesBelow(at.segments, path.segments))

  /** The innermost mount that a path lies in: they are sorted so. */
  function place({ segments, path }: VirtualPath): Placed {
    const mount = mounts.find(({ at }) => at.path === path || liesBelow(segments, at.segments))!
    return { mount, outer: path, inner: toPath(segments.slice(mount.at.segments.length)) }
  }

  function placeFile(path: string, { signal }: CallOptions): Result<Placed> {
    throwIfAborted(signal)
    const parsed = parseFilePath(path)
    if (!parsed.ok) return parsed
    return isAbove(parsed.value) ? isDirectory(parsed.value.path) : ok(place(parsed.value))
  }

  async function onFile<T>(
    path: string,
    options: CallOptions,
    work: (placed: Placed) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const placed = placeFile(path, options)
    return placed.ok ? outward(await work(placed.value), placed.value) : placed
  }

  /** Whether a path that a mount shows is really its own, and not behind another mount. */
  function isVisible(mount: Mount, path: string): boolean {
    const parsed = parsePath(path)
    return parsed.ok && place(parsed.value).mount === mount && !isAbove(parsed.value)
  }

  /** What `find` gives for a pattern in all mounts, each once and in order. */
  async function everywhere<T extends { path: string }>(
    glob: Glob,
    find: (mount: Mount, pattern: string) => Promise<Result<T[]>>,
  ): Promise<Result<T[]>> {
    const found: T[] = []
    for (const mount of mounts) {
      const paths = new Set<string>()
      for (const pattern of glob.below(mount.at.segments)) {
        const result = await find(mount, pattern)
        if (!result.ok) return result
        // Two patterns may find the same file, and grep several lines of one.
        const fresh = result.value.filter(({ path }) => !paths.has(path))
        for (const item of fresh) {
          paths.add(item.path)
          found.push(item)
        }
      }
    }
    return ok(inOrder(found))
  }

  const files: Required<Files> & AskingFiles = {
    needsApproval(operation, path) {
      const placed = placeFile(path, {})
      if (!placed.ok) return false
      const { mount, inner } = placed.value
      return (mount.files as Partial<AskingFiles>).needsApproval?.(operation, inner) ?? false
    },

    async ls(path, options = {}) {
      throwIfAborted(options.signal)
      const parsed = parsePath(path)
      if (!parsed.ok) return parsed
      const { segments } = parsed.value
      const placed = place(parsed.value)
      const listed = outward(await placed.mount.files.ls(placed.inner, options), placed)
      const below = mounts.filter(({ at }) => liesBelow(at.segments, segments))
      if (!listed.ok && !(below.length > 0 && listed.code === 'not_found')) return listed
      const all = (listed.ok ? listed.value : []).map((info) => ({ ...info, path: outerPath(placed.mount, info.path) }))
      const directories = [...new Set(below.map(({ at }) => toPath(at.segments.slice(0, segments.length + 1))))]
      const hidden = new Set(directories)
      if (below.length > 0) hidden.add(parsed.value.path)
      return ok(
        inOrder([
          ...all.filter((info) => !hidden.has(info.path)),
          ...directories.map((directory): FileInfo => ({ path: directory, directory: true })),
        ]),
      )
    },

    read: (path, options = {}) => onFile(path, options, ({ mount, inner }) => mount.files.read(inner, options)),

    write: (path, content, options = {}) =>
      onFile(
        path,
        options,
        async ({ mount, inner }) =>
          markable(mount.files, inner, options.sources) ?? mount.files.write(inner, content, options),
      ),

    edit: (path, oldText, newText, options = {}) =>
      onFile(
        path,
        options,
        async ({ mount, inner }) =>
          markable(mount.files, inner, options.sources) ?? mount.files.edit(inner, oldText, newText, options),
      ),

    async glob(pattern, options = {}) {
      throwIfAborted(options.signal)
      const glob = compileGlob(pattern)
      if (!glob.ok) return glob
      return everywhere(glob.value, async (mount, below) => {
        const found = await mount.files.glob(below, options)
        if (!found.ok) return found
        const all = found.value.map((info) => ({ ...info, path: outerPath(mount, info.path) }))
        return ok(all.filter((info) => isVisible(mount, info.path)))
      })
    },

    async grep(text, { glob: pattern = '**', limit = Number.POSITIVE_INFINITY, ...options } = {}) {
      throwIfAborted(options.signal)
      const glob = compileGlob(typeof pattern === 'string' && !pattern.includes('/') ? `**/${pattern}` : pattern)
      if (!glob.ok) return glob
      const found = await everywhere(glob.value, (mount, below) => grepVisible(mount, text, below, limit, options))
      return found.ok ? ok(found.value.slice(0, limit)) : found
    },

    async upload(given, options = {}) {
      const results: Result<{ path: string; version: string }>[] = []
      for (const { path, ...file } of copyUploads(given)) {
        const uploaded = await onFile(path, options, async ({ mount, inner }) => {
          const refused = markable(mount.files, inner, options.sources)
          if (refused !== undefined) return refused
          const [only] = await mount.files.upload([{ path: inner, ...file }], options)
          return only!
        })
        results.push(uploaded.ok ? ok({ ...uploaded.value, path }) : uploaded)
      }
      return results
    },

    async download(paths, options = {}) {
      return inParallel(paths, MAX_AT_ONCE, async (path) => {
        const downloaded = await onFile(path, options, async ({ mount, inner }) => {
          const [only] = await mount.files.download([inner], options)
          return only!
        })
        return downloaded.ok ? ok({ ...downloaded.value, path }) : downloaded
      })
    },

    delete: (path, options = {}) =>
      onFile(path, options, async ({ mount, inner }) =>
        mount.files.delete === undefined ? permissionDenied('deleting', inner) : mount.files.delete(inner, options),
      ),

    approve: (path, options) =>
      onFile(path, options, async ({ mount, inner }) =>
        mount.files.approve === undefined ? permissionDenied('approving', inner) : mount.files.approve(inner, options),
      ),

    async move(from, to, options = {}) {
      const [source, target] = [placeFile(from, options), placeFile(to, options)]
      if (!source.ok) return source
      if (!target.ok) return target
      if (target.value.mount !== source.value.mount) return moveAcross(source.value, target.value, options)
      const { mount, inner } = source.value
      if (mount.files.move === undefined) return outward(permissionDenied('moving', inner), source.value)
      const moved = await mount.files.move(inner, target.value.inner, options)
      // Both lie in the same mount, so either tells where its path begins in the message.
      return outward(moved, !moved.ok && moved.message.includes(inner) ? source.value : target.value)
    },
  }

  /** At most `limit` matches that are not behind another mount: those are counted as well where they are looked for. */
  async function grepVisible(
    mount: Mount,
    text: string,
    glob: string,
    limit: number,
    options: CallOptions,
  ): Promise<Result<GrepMatch[]>> {
    for (let atOnce = limit; ; atOnce *= 2) {
      const found = await mount.files.grep(text, { ...options, glob, limit: atOnce })
      if (!found.ok) return found
      const all = found.value.map((match) => ({ ...match, path: outerPath(mount, match.path) }))
      const visible = all.filter((match) => isVisible(mount, match.path))
      if (visible.length >= limit || all.length < atOnce) return ok(visible.slice(0, limit))
    }
  }

  return files
}

/** Made first and deleted second, as within one file system. */
async function moveAcross(source: Placed, target: Placed, options: FileCallOptions): Promise<Result<void>> {
  const [from, to] = [source.mount.files, target.mount.files]
  if (from.delete === undefined) return outward(permissionDenied('moving', source.inner), source)
  const [file] = await from.download([source.inner], options)
  if (!file!.ok) return outward(file!, source)
  const { bytes, version, sources } = file!.value
  const refused = markable(to, target.inner, sources)
  if (refused !== undefined) return outward(refused, target)
  const [made] = await to.upload([{ path: target.inner, bytes, ifVersion: null }], { ...options, sources })
  if (!made!.ok) return outward(made!, target)
  const deleted = await from.delete(source.inner, { ...options, ifVersion: version })
  if (!deleted.ok) await to.delete?.(target.inner, { ...options, ifVersion: made!.value.version })
  return outward(deleted, source)
}

function toMounts(rest: Files, routes: Readonly<Record<string, Files>>): Mount[] {
  const mounts: Mount[] = [{ at: { segments: [], path: '/' }, files: checkFiles(rest, 'default') }]
  for (const [route, files] of Object.entries(routes)) {
    const parsed = parsePath(route)
    if (!parsed.ok || !route.startsWith('/') || parsed.value.segments.length === 0) {
      throw invalid(`routes[${JSON.stringify(route)}] must be named by a directory, such as "/policies".`)
    }
    if (mounts.some(({ at }) => at.path === parsed.value.path)) {
      throw invalid(`routes has two mounts at ${parsed.value.path}. Take one away.`)
    }
    mounts.push({ at: parsed.value, files: checkFiles(files, `routes[${JSON.stringify(route)}]`) })
  }
  return mounts.toSorted((a, b) => b.at.segments.length - a.at.segments.length)
}

/** A refusal in the words of the whole: the path that a mount names is what it knows. */
function outward<T>(result: Result<T>, { outer, inner }: Placed): Result<T> {
  if (result.ok || outer === inner) return result
  const at = result.message.indexOf(inner)
  if (at === -1 || result.code === 'invalid_path') return result
  return { ...result, message: result.message.slice(0, at) + outer + result.message.slice(at + inner.length) }
}

function outerPath({ at }: Mount, inner: string): string {
  return at.segments.length === 0 ? inner : at.path + inner
}

/** Whether a path lies below a directory, and is not itself it. */
function liesBelow(path: readonly string[], directory: readonly string[]): boolean {
  return path.length > directory.length && directory.every((segment, index) => segment === path[index])
}

/** Directory by directory in the order of names; what has the same path keeps its order. */
function inOrder<T extends { path: string }>(items: readonly T[]): T[] {
  // A slash is smaller than anything that a name may have: then segments are compared before what follows them.
  const keys = new Map(items.map(({ path }) => [path, path.replaceAll('/', '\0')]))
  return items.toSorted((a, b) => compareUtf8(keys.get(a.path)!, keys.get(b.path)!))
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', message)
}
