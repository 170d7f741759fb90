import { readFileSync, readlinkSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { throwIfAborted } from '@keepsake/core'
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
  signal?: AbortSignal | undefined
}

/** A holder keeps a lock for milliseconds. One that is watched holding it for so long is gone, whatever it says. */
const MAX_HOLD_MS = 10_000
const MAX_WAIT_MS = 16
/** The holder of a file that says nothing. No process is of this machine, so only watching tells that it is gone. */
const UNKNOWN: LockHolder = { id: 'unknown', pid: 0, machine: '' }

/**
 * Runs `work` while this process alone holds the lock file at `path`, among all that use it.
 *
 * A holder that died (`kill -9`, power loss) leaves its file behind. It is taken over at once if it was of this machine,
 * and after 10 s of watching otherwise. Who removes a dead holder's file does so under a second lock that is named after
 * that holder: of all who see it dead, one removes its file, and never that of a living successor.
 */
export async function withFileLock<T>(
  path: string,
  options: FileLockOptions,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  const isHeld = async (): Promise<boolean> => (await readHolder(path))?.id === options.id
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
  let waitMs = 1
  for (;;) {
    throwIfAborted(options.signal)
    if (await create(path, me)) return
    const holder = await readHolder(path)
    if (holder === undefined) continue
    if (holder.id !== watched) [watched, watchedMs] = [holder.id, 0]
    if (isDead(holder, me) || watchedMs >= MAX_HOLD_MS) {
      await takeFrom(holder, path, options)
      continue
    }
    await sleep(waitMs)
    watchedMs += waitMs
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)
  }
}

async function create(path: string, me: LockHolder): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(me), { flag: 'wx' })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    // A full disk: the file may be there without a word in it.
    if ((await readHolder(path))?.id === UNKNOWN.id) await rm(path, { force: true })
    throw error
  }
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
  const text = await ifThere(readFile(path, 'utf8'))
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
