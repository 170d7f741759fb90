import { closeSync, constants, openSync, readFileSync, readlinkSync, rmSync, writeSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { KeepsakeError, throwIfAborted } from '@keepsake/core'
import { errorCode, ifThere } from './refusal.ts'

/** Who holds a lock, as its file says. */
export interface LockHolder {
  /** Of this holding of the lock, not of the process. */
  id: string
  pid: number
  /** Processes of one machine (and container) can see whether each other live. */
  machine: string
}

/** A lock that is held. */
export interface HeldLock {
  /** Whether it still is: a process that was stopped for long may have been taken for dead. */
  isHeld: () => Promise<boolean>
}

export interface FileLockOptions {
  /** Names this holding, and never another. */
  id: string
  /** Called before a lock is taken from a holder that is gone. */
  onDead?: (holder: LockHolder) => Promise<void>
  /**
   * How long a holder is watched before it is gone, whatever its file says. Locks are held for milliseconds, so it is 10 s
   * by default, and 1 s if the file says nothing.
   */
  patienceMs?: number
  /** How long the lock is waited for, whoever hold it in turn. Default: 60 s. */
  maxWaitMs?: number
  signal?: AbortSignal | undefined
}

const PATIENCE_MS = 10_000
/** A file without a word in it is written within microseconds, or never. */
const PATIENCE_WITH_UNKNOWN_MS = 1000
const MAX_WAIT_MS = 60_000
const MAX_PAUSE_MS = 16
/** Ours have about 150 bytes. */
const MAX_LOCK_BYTES = 4096
// A link is not followed, and a named pipe not waited for.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
/** The holder of a file that says nothing. No process is of this machine, so only watching tells that it is gone. */
const UNKNOWN: LockHolder = { id: 'unknown', pid: 0, machine: '' }

/**
 * Runs `work` while this process alone holds the lock file at `path`, among all that use it.
 *
 * A holder that died (`kill -9`, power loss) leaves its file behind. It is taken over at once if it was of this machine,
 * and after 10 s of watching otherwise. Who removes a dead holder's file does so under a second lock that is named after
 * that holder: of all who see it dead, one removes its file, and never that of a living successor.
 *
 * Throws `unavailable` where the lock is not to be had in a minute, or something that is no lock file is at its path: a
 * link, a directory, a pipe, a large file.
 */
export async function withFileLock<T>(
  path: string,
  options: FileLockOptions,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  // What cannot be read is not ours any more: the work is done, or will see that it must be done again.
  const isHeld = async (): Promise<boolean> => (await readHolder(path).catch(() => undefined))?.id === options.id
  await acquire(path, options)
  try {
    return await work({ isHeld })
  } finally {
    if (await isHeld()) await rm(path, { force: true })
  }
}

async function acquire(path: string, options: FileLockOptions): Promise<void> {
  const me: LockHolder = { id: options.id, pid: process.pid, machine: machine() }
  let watched = ''
  let watchedMs = 0
  let waitedMs = 0
  let pauseMs = 1
  for (;;) {
    throwIfAborted(options.signal)
    if (create(path, me)) return
    if (waitedMs >= (options.maxWaitMs ?? MAX_WAIT_MS)) throw isBusy(path, waitedMs)
    const holder = await readHolder(path)
    if (holder !== undefined && holder.id !== watched) [watched, watchedMs] = [holder.id, 0]
    if (holder !== undefined && (isDead(holder, me) || watchedMs >= (options.patienceMs ?? patienceMs(holder)))) {
      await takeFrom(holder, path, options)
    }
    await sleep(pauseMs)
    watchedMs += pauseMs
    waitedMs += pauseMs
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
  }
}

/** Synchronous, so that hardly a moment lies between making the file and writing into it, in which we might be killed. */
function create(path: string, me: LockHolder): boolean {
  let file: number
  try {
    file = openSync(path, 'wx')
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
  try {
    writeSync(file, JSON.stringify(me))
    return true
  } catch (error) {
    // A full disk: others would have to wait for a word that never comes.
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

function patienceMs(holder: LockHolder): number {
  return holder === UNKNOWN ? PATIENCE_WITH_UNKNOWN_MS : PATIENCE_MS
}

async function takeFrom(holder: LockHolder, path: string, options: FileLockOptions): Promise<void> {
  await withFileLock(`${path}.${holder.id}`, options, async () => {
    if ((await readHolder(path))?.id !== holder.id) return
    await options.onDead?.(holder)
    await rm(path, { force: true })
  })
}

/** A file that was created and not written yet, or was damaged, has a holder of whom nothing is known. */
async function readHolder(path: string): Promise<LockHolder | undefined> {
  const text = await readSmallFile(path)
  if (text === undefined) return undefined
  try {
    const { id, pid, machine: where } = JSON.parse(text) as Partial<Record<keyof LockHolder, unknown>>
    // The id becomes part of a file name.
    const isName = typeof id === 'string' && /^[\w-]{1,64}$/.test(id)
    const isPid = typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0
    if (isName && isPid && typeof where === 'string') return { id, pid, machine: where }
  } catch {
    // Not JSON: as above.
  }
  return UNKNOWN
}

async function readSmallFile(path: string): Promise<string | undefined> {
  const handle = await ifThere(open(path, READ_FLAGS)).catch((error: unknown) => {
    // A link; a socket.
    throw ['ELOOP', 'EMLINK', 'ENXIO'].includes(errorCode(error) ?? '') ? isNoLock(path) : error
  })
  if (handle === undefined) return undefined
  await using file = handle
  const stats = await file.stat()
  if (!stats.isFile() || stats.size > MAX_LOCK_BYTES) throw isNoLock(path)
  return await file.readFile('utf8')
}

function isNoLock(path: string): KeepsakeError {
  const name = basename(path)
  return new KeepsakeError(
    'unavailable',
    `${name}, where the lock of a file must be, is not a lock file. See what made it, and remove it.`,
    { retryable: false, details: { name } },
  )
}

function isBusy(path: string, waitedMs: number): KeepsakeError {
  const name = basename(path)
  return new KeepsakeError('unavailable', `The lock ${name} was not free for ${waitedMs} ms. Try again.`, {
    retryable: true,
    details: { name, waitedMs },
  })
}

function isDead(holder: LockHolder, me: LockHolder): boolean {
  if (holder.machine !== me.machine) return false
  try {
    process.kill(holder.pid, 0)
    return false
  } catch (error) {
    return errorCode(error) === 'ESRCH'
  }
}

/** Where a process id means the same process: this boot and container on Linux, else the host by name. */
function machine(): string {
  return (thisMachine ??= readMachine())
}

let thisMachine: string | undefined

function readMachine(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}
