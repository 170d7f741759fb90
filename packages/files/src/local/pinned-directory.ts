import { constants, readlinkSync } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import { invalidPath } from '../failures.ts'
import { refuse } from './refusal.ts'

/**
 * A directory that was checked to lie in the root, held so that a name can be looked up in the very one that was checked.
 * Node has no `openat`; on Linux `/proc/self/fd/N/name` is one: the directory behind an open descriptor cannot be swapped
 * for a link. Elsewhere {@link PinnedDirectory.verify} looks again right before and after what matters, which leaves a
 * moment.
 */
export interface PinnedDirectory extends AsyncDisposable {
  /** Where it really is. */
  readonly real: string
  /** A path through which its entries are reached. */
  at(name: string): string
  /** Throws a refusal if the directory is no longer the one that was checked. */
  verify(): Promise<void>
  /** Makes what was created, renamed or deleted in it survive power loss, where the platform can. */
  sync(): Promise<void>
}

const DIRECTORY_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Opens a directory whose path has no links in it (any more), and checks that it lies in `root`. */
export async function pinDirectory(root: string, path: string): Promise<PinnedDirectory> {
  if (process.platform === 'win32') return unpinned(root, path)
  const handle = await open(path, DIRECTORY_FLAGS)
  try {
    const pinned = `/proc/self/fd/${handle.fd}`
    const real = process.platform === 'linux' ? targetOf(pinned) : undefined
    const sync = (): Promise<void> => handle.sync()
    const dispose = (): Promise<void> => handle.close()
    if (real === undefined) return { ...unpinned(root, path), sync, [Symbol.asyncDispose]: dispose }
    checkInside(root, real)
    return { real, at: (name) => `${pinned}/${name}`, verify: async () => {}, sync, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** At once: what /proc says comes from no disk. `undefined` where it is not mounted. */
function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}

function unpinned(root: string, path: string): PinnedDirectory {
  return {
    real: path,
    at: (name) => path + sep + name,
    async verify() {
      const now = await realpath(path)
      checkInside(root, now)
      if (now !== path) throw refuse(invalidPath('the directory was replaced by a link'))
    },
    sync: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
}

/** Both real paths. Throws a refusal unless `path` is `root` or below it. */
export function checkInside(root: string, path: string): void {
  const below = root.endsWith(sep) ? root : root + sep
  if (path !== root && !path.startsWith(below)) throw refuse(invalidPath('a link leads out of the root'))
}
