import type { CallOptions, Records } from '@keepsake/core'
import { alreadyExists, changedSince, isDirectory, notDirectory, notFound, ok } from './failures.ts'
import type { FileTree, StoredFile, TreeChangeOptions } from './file-tree.ts'
import type { FileInfo, Result } from './files.ts'
import { toPath, type VirtualPath } from './paths.ts'
import { decodeText } from './text.ts'

/** A file as a record: text where it is text, so that an export can be read; and what it was derived from. */
export type Content = ({ text: string } | { bytes: Uint8Array }) & { sources?: readonly string[] }

/** Records whose keys are the segments of paths. */
export type PathRecords = Pick<Records<Content>, 'get' | 'getMany' | 'update' | 'delete' | 'list'>

/** Files that are read at once: of the largest, 64 MiB. */
const PAGE = 32

/** Files of records: what those in rows and those in a thread's state have in common. */
export function recordTree(rows: PathRecords): FileTree {
  /** Whether files lie below a path. */
  async function hasFilesBelow({ segments }: VirtualPath, options: CallOptions): Promise<boolean> {
    // The listing begins with the file at the path itself.
    const { items } = await rows.list(segments, { limit: 2, ...options })
    return items.some(({ key }) => key.length > segments.length)
  }

  /** A disk cannot hold a file where a directory is, nor one below a file: then neither can we. */
  async function placeProblem(path: VirtualPath, options: CallOptions): Promise<Result<never> | undefined> {
    const parents = path.segments.slice(1).map((_, index) => path.segments.slice(0, index + 1))
    const [below, found] = await Promise.all([hasFilesBelow(path, options), rows.getMany(parents, options)])
    if (below) return isDirectory(path.path)
    return found.some((entry) => entry !== undefined) ? notDirectory(path.path) : undefined
  }

  async function missing(path: VirtualPath, options: CallOptions): Promise<Result<never>> {
    return (await hasFilesBelow(path, options)) ? isDirectory(path.path) : notFound()
  }

  const tree: FileTree = {
    async read(path, options) {
      const entry = await rows.get(path.segments, options)
      return entry === undefined ? missing(path, options) : ok(toStored(entry))
    },

    async write(path, bytes, ifVersion, { sources, ...options }) {
      const content = (old: Content | undefined): Content => toContent(bytes, old?.sources, sources)
      if (ifVersion === undefined) {
        const replaced = await rows.update(path.segments, (old) => old && content(old), options)
        if (replaced !== undefined) return ok({ version: String(replaced.version) })
      }
      if (typeof ifVersion !== 'string') {
        const problem = await placeProblem(path, options)
        if (problem !== undefined) return problem
      }
      const over = ifVersion === undefined ? {} : { ifVersion: toNumber(ifVersion) }
      const entry = await rows.update(path.segments, content, { ...options, ...over })
      if (entry !== undefined) return ok({ version: String(entry.version) })
      return ifVersion === null ? alreadyExists() : changedSince()
    },

    async change(path, change, { sources, ...options }) {
      let refused: Result<never> | undefined
      const entry = await rows.update(
        path.segments,
        (content) => {
          const changed = content === undefined ? notFound() : change(toBytes(content))
          refused = changed.ok ? undefined : changed
          return changed.ok ? toContent(changed.value, content?.sources, sources) : undefined
        },
        options,
      )
      if (entry === undefined) return missing(path, options)
      return refused ?? ok({ version: String(entry.version) })
    },

    async list(path, options) {
      const own = path.segments.length
      const entries: FileInfo[] = []
      for await (const { key, ...entry } of rows.list(path.segments, { limit: PAGE, ...options })) {
        // Two writes at once can make a file and others below it: then it is shown as both.
        if (key.length <= own + 1) entries.push(toInfo({ key, ...entry }))
        else {
          const child = toPath(key.slice(0, own + 1))
          const last = entries.at(-1)
          if (last?.path !== child || !last.directory) entries.push({ path: child, directory: true })
        }
      }
      return own > 0 && entries.length === 0 ? notFound() : ok(entries)
    },

    async *walk(base, maxDepth, options) {
      for await (const entry of rows.list(base, { limit: PAGE, ...options })) {
        if (entry.key.length > base.length && entry.key.length <= maxDepth) {
          yield { info: toInfo(entry), load: async () => ok(toStored(entry)) }
        }
      }
    },

    async delete(path, ifVersion, options) {
      const condition = ifVersion === undefined ? {} : { ifVersion: toNumber(ifVersion) }
      if (await rows.delete(path.segments, { ...options, ...condition })) return ok(undefined)
      return (await rows.get(path.segments, options)) === undefined ? missing(path, options) : changedSince()
    },
  }
  return tree
}

/** No record has the version -1, so a version of another file system fits nothing. */
function toNumber(version: string): number
function toNumber(version: string | null): number | null
function toNumber(version: string | null): number | null {
  if (version === null) return null
  return /^\d{1,16}$/.test(version) && Number.isSafeInteger(Number(version)) ? Number(version) : -1
}

function toContent(
  bytes: Uint8Array,
  before: readonly string[] = [],
  change: TreeChangeOptions['sources'] = (sources) => sources,
): Content {
  const text = decodeText(bytes)
  const sources = change(before)
  return { ...(text.ok ? { text: text.value } : { bytes }), ...(sources.length > 0 && { sources }) }
}

function toBytes(content: Content): Uint8Array {
  return 'text' in content ? new TextEncoder().encode(content.text) : content.bytes
}

function toStored({ value, version }: { value: Content; version: number }): StoredFile {
  const { sources } = value
  return { bytes: toBytes(value), version: String(version), ...(sources !== undefined && { sources }) }
}

function toInfo({ key, value, updatedAtMs }: { key: string[]; value: Content; updatedAtMs: number }): FileInfo {
  return { path: toPath(key), directory: false, sizeBytes: toBytes(value).length, updatedAtMs }
}
