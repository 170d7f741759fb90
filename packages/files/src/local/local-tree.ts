import { createHash } from 'node:crypto'
import { lstat, rm } from 'node:fs/promises'
import { isQuarantined, type CallOptions, type Clock } from '@keepsake/core'
import { alreadyExists, changedSince, notFound, ok, type Verb } from '../failures.ts'
import type { FileTree, TreeChangeOptions } from '../file-tree.ts'
import type { Result } from '../files.ts'
import { parsePath, RESERVED_PREFIX, type VirtualPath } from '../paths.ts'
import { readDiskFile, replaceDiskFile, versionOf, type DiskFile } from './disk-file.ts'
import { withFileLock, type LockHolder } from './file-lock.ts'
import { keyedQueue } from '../keyed-queue.ts'
import { locate, makePlace, placeOf, type Place } from './locate.ts'
import { operationList, type OperationList } from './operation-list.ts'
import { pinDirectory } from './pinned-directory.ts'
import { errorCode, settle } from './refusal.ts'
import { removeEmptyDirectories } from './remove-empty-directories.ts'
import { sourceList, type SourceList } from './source-list.ts'
import { children, toInfo, walkDirectory } from './walk-directory.ts'

/** How often a directory is made for a file, where others keep removing it. */
const MAX_PLACES = 100

/** A file that this process alone may change now. */
interface Locked {
  current: DiskFile | undefined
  place: Place
  /** Replaces the file, unless the lock was lost. */
  replace: (bytes: Uint8Array, options: Pick<TreeChangeOptions, 'opId' | 'sources'>) => Promise<boolean>
  /** The named changes that it holds. */
  operations: OperationList
  sources: SourceList
}

/** Files of a directory on disk. */
export function localTree(root: string, clock: Pick<Clock, 'newId'>): FileTree {
  const inTurn = keyedQueue()

  /** Holds the lock of a file beside it, where every process finds it, whatever root it has and link it came by. */
  async function locked<T>(
    place: Place,
    path: VirtualPath,
    { signal }: CallOptions,
    work: (file: Locked) => Promise<T | undefined>,
  ): Promise<T> {
    const { directory, name } = place
    const own = `${RESERVED_PREFIX}${lockName(name)}`
    const temporaryName = (holder: string): string => `${own}-${holder}.tmp`
    const operations = operationList(directory, `${own}.ops`)
    const sources = sourcesAt(place)
    const onDead = async (holder: LockHolder): Promise<void> => {
      const temporary = temporaryName(holder.id)
      await operations.withdraw(temporary)
      await rm(directory.at(temporary), { force: true })
    }
    for (;;) {
      const id = clock.newId()
      const done = await withFileLock(directory.at(`${own}.lock`), { id, signal, onDead }, async ({ isHeld }) => {
        const current = await readDiskFile(place, path.path)
        return work({
          current,
          place,
          operations,
          sources,
          replace: (bytes, { opId, sources: change }) =>
            withSources(place, path, { bytes, change, list: sources }, () =>
              replaceDiskFile(place, {
                bytes,
                previous: current,
                temporary: temporaryName(id),
                mayCommit: isHeld,
                ...(opId !== undefined && { operation: { id: opId, list: operations } }),
              }),
            ),
        })
      })
      // The lock was lost before the change was made: again, on what is there now.
      if (done !== undefined) return done
    }
  }

  /** Changes a file alone. Without `make`, only where its directory exists. `undefined` from `work`: once more. */
  function alone<T>(
    verb: Verb,
    path: VirtualPath,
    { make = false, ...options }: CallOptions & { make?: boolean },
    work: (file: Locked) => Promise<Result<T> | undefined>,
  ): Promise<Result<T>> {
    return inTurn(path.path, () =>
      settle(verb, path.path, async () => {
        for (let attempt = 1; ; attempt++) {
          let hasBegun = false
          try {
            const location = make ? undefined : await locate(root, path)
            const found = make ? await makePlace(root, path) : location && (await placeOf(location))
            if (found === undefined) return notFound()
            await using place = found
            return await locked(place, path, options, (file) => {
              hasBegun = true
              return work(file)
            })
          } catch (error) {
            // The directory was made, and removed with its last file before our lock was in it.
            if (!make || hasBegun || attempt === MAX_PLACES || errorCode(error) !== 'ENOENT') throw error
          }
        }
      }),
    )
  }

  const tree: FileTree = {
    async read(path) {
      return settle('reading', path.path, async () => {
        const location = await locate(root, path)
        if (location === undefined || location.missing.length > 0) return notFound()
        await using place = (await placeOf(location))!
        const file = await readDiskFile(place, path.path)
        if (file === undefined) return notFound()
        // After the file: whoever writes one that is marked marks it first.
        const sources = await sourcesAt(place).of(place.name)
        return ok({ bytes: file.bytes, version: file.version, ...(sources.length > 0 && { sources }) })
      })
    },

    async write(path, bytes, ifVersion, { opId, sources, ...options }) {
      const make = typeof ifVersion !== 'string'
      const written = await alone('writing', path, { ...options, make }, async (file) => {
        if (await isRepeat(file, opId)) return ok({ version: file.current!.version })
        if (ifVersion === null && file.current !== undefined) return alreadyExists()
        if (typeof ifVersion === 'string' && file.current?.version !== ifVersion) return changedSince()
        return (await file.replace(bytes, { opId, sources })) ? ok({ version: versionOf(bytes) }) : undefined
      })
      return !written.ok && written.code === 'not_found' ? changedSince() : written
    },

    async change(path, change, { opId, sources, ...options }) {
      return alone('editing', path, options, async (file) => {
        if (file.current === undefined) return notFound()
        if (await isRepeat(file, opId)) return ok({ version: file.current.version })
        const changed = change(file.current.bytes)
        if (!changed.ok) return changed
        const version = versionOf(changed.value)
        return version === file.current.version || (await file.replace(changed.value, { opId, sources }))
          ? ok({ version })
          : undefined
      })
    },

    async list(path) {
      return settle('reading', path.path, async () => {
        const location = await locate(root, path)
        if (location === undefined) return path.segments.length === 0 ? ok([]) : notFound()
        if (location.missing.length > 0) return notFound()
        const stats = await lstat(location.real)
        if (!stats.isDirectory()) return stats.isFile() ? ok([toInfo(path.path, stats)]) : notFound()
        await using directory = await pinDirectory(location.root, location.real)
        return ok((await children(location.root, directory, path.segments)).map(({ info }) => info))
      })
    },

    async *walk(base, maxDepth, options) {
      const start = await settle('reading', '/', async () => {
        const location = await locate(root, { segments: base })
        if (location === undefined || location.missing.length > 0) return notFound()
        return ok({ location, directory: await pinDirectory(location.root, location.real) })
      })
      if (!start.ok) return
      const { location, directory } = start.value
      await using top = directory
      for await (const info of walkDirectory(location.root, top, base, maxDepth, options)) {
        yield {
          info,
          load: async () => {
            const parsed = parsePath(info.path)
            return parsed.ok ? tree.read(parsed.value, options) : parsed
          },
        }
      }
    },

    async delete(path, ifVersion, options) {
      const deleted = await alone('deleting', path, options, async ({ current, place, operations, sources }) => {
        if (current === undefined) return notFound()
        if (ifVersion !== undefined && current.version !== ifVersion) return changedSince()
        await rm(place.directory.at(place.name))
        await operations.forget(place.name)
        await sources.set(place.name, [])
        await place.directory.sync()
        return ok(undefined)
      })
      if (deleted.ok) await removeEmptyDirectories(root, path.segments)
      return deleted
    },
  }
  return tree
}

function sourcesAt({ directory, name }: Place): SourceList {
  return sourceList(directory, `${RESERVED_PREFIX}${lockName(name)}.from`)
}

interface SourceChange {
  bytes: Uint8Array
  change: TreeChangeOptions['sources']
  list: SourceList
}

/**
 * Replaces a file and changes its sources, which are another file: a mark is set before the bytes that need it are there, and
 * taken away after. A process that dies in between leaves a mark too many, never one too few.
 */
async function withSources(
  place: Place,
  path: VirtualPath,
  { bytes, change, list }: SourceChange,
  replace: () => Promise<boolean>,
): Promise<boolean> {
  if (change === undefined) return replace()
  const before = await list.of(place.name)
  const after = change(before)
  const isFirst = isQuarantined(after) || !isQuarantined(before)
  if (isFirst) await list.set(place.name, after)
  try {
    const replaced = await replace()
    if (replaced && !isFirst) await list.set(place.name, after)
    return replaced
  } catch (error) {
    // What could not be written must not mark what stands there.
    const now = isFirst ? await readDiskFile(place, path.path).catch(() => undefined) : undefined
    if (now !== undefined && now.version !== versionOf(bytes)) await list.set(place.name, before)
    throw error
  }
}

async function isRepeat({ current, place, operations }: Locked, opId: string | undefined): Promise<boolean> {
  return opId !== undefined && current !== undefined && (await operations.has(opId, place.name))
}

/** Short, of characters that every disk takes, and the same for names that a disk may take for one. */
function lockName(name: string): string {
  return createHash('sha256').update(name.normalize('NFC').toLowerCase()).digest('hex').slice(0, 16)
}
