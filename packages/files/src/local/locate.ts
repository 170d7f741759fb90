import { lstat, mkdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { KeepsakeError } from '@keepsake/core'
import { invalidPath, notFound } from '../failures.ts'
import type { VirtualPath } from '../paths.ts'
import { checkInside, pinDirectory, type PinnedDirectory } from './pinned-directory.ts'
import { errorCode, ifThere, refuse } from './refusal.ts'

/** Where a path leads on disk, all links followed, checked to lie in the root. */
export interface Location {
  /** The real path of the root. */
  root: string
  /** The real path of what exists: of the whole path, or of its deepest directory that is there. */
  real: string
  /** The segments after it, which do not exist. */
  missing: readonly string[]
}

/** A file by its name in a directory that is held. */
export interface Place extends AsyncDisposable {
  directory: PinnedDirectory
  name: string
}

/** Finds a path below the root; `undefined` if not even the root exists. */
export async function locate(root: string, { segments }: Pick<VirtualPath, 'segments'>): Promise<Location | undefined> {
  const realRoot = await ifThere(realpath(root)).catch((error: unknown) => {
    throw errorCode(error) === 'ENOTDIR' ? rootIsNoDirectory(root) : error
  })
  if (realRoot === undefined) return undefined
  // Most often it is there, and then the root is a directory.
  const whole = segments.length === 0 ? undefined : await realPathIfThere(join(realRoot, ...segments))
  if (whole !== undefined) {
    checkInside(realRoot, whole)
    return { root: realRoot, real: whole, missing: [] }
  }
  if (!(await lstat(realRoot)).isDirectory()) throw rootIsNoDirectory(root)
  for (let depth = segments.length; depth >= 0; depth--) {
    const path = join(realRoot, ...segments.slice(0, depth))
    const real = await ifThere(realpath(path))
    if (real !== undefined) {
      checkInside(realRoot, real)
      return { root: realRoot, real, missing: segments.slice(depth) }
    }
    const stats = await ifThere(lstat(path))
    // It is there and leads nowhere: what is made in its place would be made wherever it points to.
    if (stats?.isSymbolicLink()) throw refuse(invalidPath('a link leads to nothing'))
    // Somebody made it since the first look: look again.
    if (stats !== undefined) depth++
  }
  return undefined
}

/** `undefined` too where a file stands in the way: what that means is for the longer look. */
async function realPathIfThere(path: string): Promise<string | undefined> {
  return ifThere(realpath(path)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOTDIR') return undefined
    throw error
  })
}

/** The directory of a path whose directories exist, held. `undefined`: there is none. */
export async function placeOf({ root, real, missing }: Location): Promise<Place | undefined> {
  if (missing.length > 1) return undefined
  const [path, name] = missing.length === 1 ? [real, missing[0]!] : [dirname(real), basename(real)]
  return toPlace(await pinDirectory(root, path), name)
}

/** The directory of a path, held, and made where it is missing, the root too. */
export async function makePlace(root: string, path: VirtualPath): Promise<Place> {
  let found = await locate(root, path)
  if (found === undefined) {
    await makeRoot(root)
    found = await locate(root, path)
  }
  // Removed again at this moment.
  if (found === undefined) throw refuse(notFound())
  const { missing } = found
  if (missing.length <= 1) return (await placeOf(found))!
  let directory = await pinDirectory(found.root, found.real)
  for (const segment of missing.slice(0, -1)) {
    const parent = directory
    try {
      directory = await makeDirectory(found.root, parent, segment)
    } finally {
      await parent[Symbol.asyncDispose]()
    }
  }
  return toPlace(directory, missing.at(-1)!)
}

async function makeDirectory(root: string, parent: PinnedDirectory, name: string): Promise<PinnedDirectory> {
  await parent.verify()
  try {
    await mkdir(parent.at(name))
    await parent.sync()
  } catch (error) {
    // Somebody else made it: opening it tells whether it is a directory, and follows no link.
    if (errorCode(error) !== 'EEXIST') throw error
  }
  return pinDirectory(root, parent.at(name))
}

async function makeRoot(root: string): Promise<void> {
  try {
    const first = await mkdir(root, { recursive: true })
    if (first === undefined) return
    // Its entry, and those of the directories that were made for it, are in their parents.
    for (let made = root; ; made = dirname(made)) {
      const parent = dirname(made)
      await using directory = await pinDirectory(parent, await realpath(parent))
      await directory.sync()
      if (made === first) break
    }
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOTDIR') throw rootIsNoDirectory(root)
    throw error
  }
}

function toPlace(directory: PinnedDirectory, name: string): Place {
  return { directory, name, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() }
}

function rootIsNoDirectory(root: string): KeepsakeError {
  return new KeepsakeError(
    'invalid_value',
    `The root ${root} of these files is not a directory. Name a directory; one that is missing is made with the first write.`,
    { details: { root } },
  )
}
