import { backoff, compareUtf8, utf8Length, type CallOptions, type Clock } from '@keepsake/core'
import { MAX_FILE_BYTES, type FileInfo, type Result } from '@keepsake/files'
import {
  alreadyExists,
  changedSince,
  invalidPath,
  isDirectory,
  keyedQueue,
  notDirectory,
  notFound,
  ok,
  parsePath,
  tooLarge,
  toPath,
  type FileTree,
  type StoredFile,
  type TreeChangeOptions,
  type VirtualPath,
} from '@keepsake/files/tree'
import type { S3Condition, S3Head, S3Listed, S3Objects } from './s3-objects.ts'
import { marksOf, nextMarks, versionOf } from './write-marks.ts'

export interface S3TreeOptions {
  objects: S3Objects
  /** Empty, or ends with a slash. */
  root: string
  clock: Pick<Clock, 'newId'>
  /** Whether writes name the object that they expect. */
  isConditional: boolean
}

/** What S3 takes. */
const MAX_KEY_BYTES = 1024

/** What a change makes of the object that is there: the bytes to write, or an answer without a write. */
type Decide<H extends S3Head> = (current: H | undefined) => Promise<Result<Uint8Array>> | Result<Uint8Array>

/** Files of the objects below a prefix. */
export function s3Tree({ objects, root, clock, isConditional }: S3TreeOptions): FileTree {
  // Writes of one process do not race each other, with conditions or without.
  const inTurn = keyedQueue()

  const keyOf = (segments: readonly string[]): string => root + segments.join('/')
  const below = (segments: readonly string[]): string => (segments.length === 0 ? root : `${keyOf(segments)}/`)

  async function hasFilesBelow({ segments }: VirtualPath, options: CallOptions): Promise<boolean> {
    for await (const _ of objects.list(below(segments), { limit: 1, ...options })) return true
    return false
  }

  /** A disk cannot hold a file where a directory is, nor one below a file: then neither can we. */
  async function placeProblem(path: VirtualPath, options: CallOptions): Promise<Result<never> | undefined> {
    const parents = path.segments.slice(1).map((_, index) => keyOf(path.segments.slice(0, index + 1)))
    const [isAbove, ...above] = await Promise.all([
      hasFilesBelow(path, options),
      ...parents.map((key) => objects.head(key, options)),
    ])
    if (isAbove) return isDirectory(path.path)
    return above.some((head) => head !== undefined) ? notDirectory(path.path) : undefined
  }

  async function missing(path: VirtualPath, options: CallOptions): Promise<Result<never>> {
    return (await hasFilesBelow(path, options)) ? isDirectory(path.path) : notFound()
  }

  async function load(path: VirtualPath, options: CallOptions): Promise<Result<StoredFile>> {
    const object = await objects.get(keyOf(path.segments), MAX_FILE_BYTES, options)
    if (object === undefined) return missing(path, options)
    if (object.bytes === undefined) return tooLarge(object.sizeBytes)
    const { sources } = marksOf(object)
    return ok({ bytes: object.bytes, version: versionOf(object), ...(sources.length > 0 && { sources }) })
  }

  const conditionOver = (current: S3Head | undefined): S3Condition => {
    if (!isConditional) return {}
    return current === undefined ? { ifNoneMatch: '*' } : { ifMatch: current.etag }
  }

  /** Writes over exactly the object that was looked at, again and again until no other write comes between. */
  async function put<H extends S3Head>(
    path: VirtualPath,
    { opId, sources, ...options }: TreeChangeOptions,
    look: (key: string) => Promise<H | undefined>,
    decide: Decide<H>,
  ): Promise<Result<{ version: string }>> {
    const key = keyOf(path.segments)
    const bytes = utf8Length(key)
    if (bytes > MAX_KEY_BYTES) {
      return invalidPath(`with the prefix a path may have ${MAX_KEY_BYTES} bytes, this has ${bytes}`)
    }
    const writeId = clock.newId()
    return inTurn(key, async () => {
      for (let attempt = 0; ;) {
        const current = await look(key)
        const marks = current && marksOf(current)
        const isDone = marks?.writeId === writeId || (opId !== undefined && marks?.operations.includes(opId))
        if (current !== undefined && isDone) return ok({ version: versionOf(current) })
        const next = await decide(current)
        if (!next.ok) return next
        const metadata = nextMarks(writeId, { opId, sources }, marks)
        const etag = await objects.put(key, next.value, metadata, conditionOver(current), options)
        if (etag !== undefined) return ok({ version: versionOf({ etag, metadata }) })
        await backoff(++attempt, 'Writing a file', options.signal)
      }
    })
  }

  /** A file or directory that a listing shows; `undefined` for a key that is no path. */
  function toInfo({ key, sizeBytes, updatedAtMs }: S3Listed): FileInfo | undefined {
    const directory = sizeBytes === undefined
    const segments = key.slice(root.length, directory ? -1 : undefined).split('/')
    const path = toPath(segments)
    const parsed = parsePath(path)
    // Keys with empty segments, such as the empty objects that consoles make for directories, have other paths.
    if (!parsed.ok || parsed.value.path !== path) return undefined
    return directory ? { path, directory } : { path, directory, sizeBytes, updatedAtMs: updatedAtMs! }
  }

  async function found(list: AsyncIterable<S3Listed>): Promise<FileInfo[]> {
    const infos: FileInfo[] = []
    for await (const listed of list) {
      const info = toInfo(listed)
      if (info !== undefined) infos.push(info)
    }
    // Keys are in the order of whole keys; ours is directory by directory. A slash must be smaller than all else.
    const keys = new Map(infos.map(({ path }) => [path, path.replaceAll('/', '\0')]))
    return infos.toSorted((a, b) => compareUtf8(keys.get(a.path)!, keys.get(b.path)!))
  }

  const tree: FileTree = {
    read: load,

    write(path, bytes, ifVersion, options) {
      return put(
        path,
        options,
        (key) => objects.head(key, options),
        async (current) => {
          if (current === undefined) {
            if (typeof ifVersion === 'string') return changedSince()
            return (await placeProblem(path, options)) ?? ok(bytes)
          }
          if (ifVersion === null) return alreadyExists()
          return ifVersion === undefined || ifVersion === versionOf(current) ? ok(bytes) : changedSince()
        },
      )
    },

    change(path, change, options) {
      return put(
        path,
        options,
        (key) => objects.get(key, MAX_FILE_BYTES, options),
        async (current) => {
          if (current === undefined) return missing(path, options)
          return current.bytes === undefined ? tooLarge(current.sizeBytes) : change(current.bytes)
        },
      )
    },

    async list(path, options) {
      const { segments } = path
      const [own, inside] = await Promise.all([
        segments.length === 0 ? undefined : objects.head(keyOf(segments), options),
        found(objects.list(below(segments), { delimiter: '/', ...options })),
      ])
      const { sizeBytes, updatedAtMs } = own ?? {}
      const entries =
        own === undefined
          ? inside
          : [{ path: path.path, directory: false, sizeBytes, updatedAtMs } as FileInfo, ...inside]
      return segments.length > 0 && entries.length === 0 ? notFound() : ok(entries)
    },

    async *walk(base, maxDepth, options) {
      const delimiter = maxDepth === base.length + 1 ? { delimiter: '/' } : {}
      for (const info of await found(objects.list(below(base), { ...delimiter, ...options }))) {
        const segments = info.path.slice(1).split('/')
        if (info.directory || segments.length > maxDepth) continue
        yield { info, load: () => load({ segments, path: info.path }, options) }
      }
    },

    async delete(path, ifVersion, options) {
      const key = keyOf(path.segments)
      return inTurn(key, async () => {
        for (let attempt = 0; ;) {
          const current = await objects.head(key, options)
          // Where it was there and is gone, our delete did it and its answer was lost, or another's at the same moment.
          if (current === undefined) return attempt > 0 ? ok(undefined) : missing(path, options)
          if (ifVersion !== undefined && ifVersion !== versionOf(current)) return changedSince()
          const condition = isConditional ? { ifMatch: current.etag } : {}
          if (await objects.delete(key, condition, options)) return ok(undefined)
          await backoff(++attempt, 'Deleting a file', options.signal)
        }
      })
    },
  }
  return tree
}
