import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, open, rename, rm, type FileHandle } from 'node:fs/promises'
import { isDirectory, tooLarge } from '../failures.ts'
import type { StoredFile } from '../file-tree.ts'
import { MAX_FILE_BYTES } from '../files.ts'
import type { Place } from './locate.ts'
import type { OperationList } from './operation-list.ts'
import { errorCode, ifThere, notAFile, refuse } from './refusal.ts'

/** A file as it is on disk. */
export interface DiskFile extends StoredFile {
  stats: Stats
}

// Not blocking: opening a named pipe would wait for its other end.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** The version of a file is the hash of its bytes: whoever wrote them, with whatever program. */
export function versionOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** `undefined`: there is nothing. Refuses directories, pipes and devices, links, and files that are too large. */
export async function readDiskFile({ directory, name }: Place, shown: string): Promise<DiskFile | undefined> {
  const handle = await ifThere(open(directory.at(name), READ_FLAGS))
  if (handle === undefined) return undefined
  await using file = handle
  await directory.verify()
  const stats = await file.stat()
  if (stats.isDirectory()) throw refuse(isDirectory(shown))
  if (!stats.isFile()) throw refuse(notAFile())
  if (stats.size > MAX_FILE_BYTES) throw refuse(tooLarge(stats.size))
  const bytes = await readWhole(file, stats.size)
  if (bytes.length > MAX_FILE_BYTES) throw refuse(tooLarge(bytes.length))
  return { bytes, version: versionOf(bytes), stats }
}

/** The bytes of a file whose size was just read: one look, where `readFile` takes three. It may have grown meanwhile. */
async function readWhole(file: FileHandle, sizeBytes: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(sizeBytes + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
    length += bytesRead
    if (length === buffer.length) return new Uint8Array(await file.readFile())
    if (bytesRead === 0 || length === sizeBytes) return buffer.subarray(0, length)
  }
}

export interface Replacement {
  bytes: Uint8Array
  previous: DiskFile | undefined
  /** What it is written into first, beside the file. */
  temporary: string
  /** Asked at the last moment. */
  mayCommit: () => Promise<boolean>
  /** The name of the change, and where it is noted. */
  operation?: { id: string; list: OperationList }
}

/**
 * Puts a file in place whole: written beside it, made safe, and renamed over it. Mode and owner of the one that it
 * replaces stay. The rename is also what makes a named change one that has landed.
 */
export async function replaceDiskFile({ directory, name }: Place, replacement: Replacement): Promise<boolean> {
  const { bytes, previous, temporary, mayCommit, operation } = replacement
  const path = directory.at(temporary)
  let isInPlace = false
  try {
    await directory.verify()
    // A rename asks only the directory: a file that is read-only must be asked as well.
    if (previous !== undefined) await access(directory.at(name), constants.W_OK)
    await using file = await open(path, CREATE_FLAGS, 0o666)
    if (previous !== undefined) await keepMode(file, previous.stats)
    await file.writeFile(bytes)
    await file.sync()
    await directory.verify()
    if (!(await mayCommit())) return false
    if (operation !== undefined) {
      await operation.list.add({ id: operation.id, name, temporary })
      // Both names must survive a power loss that the rename survives.
      await directory.sync()
      if (!(await mayCommit())) return false
    }
    await rename(path, directory.at(name))
    isInPlace = true
    await directory.sync()
    return true
  } finally {
    if (!isInPlace) {
      if (operation !== undefined) await operation.list.withdraw(temporary)
      await rm(path, { force: true })
    }
  }
}

async function keepMode(file: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  try {
    const now = await file.stat()
    if (now.uid !== uid || now.gid !== gid) await file.chown(uid, gid)
  } catch (error) {
    // Only root may give a file away: then it stays ours.
    if (errorCode(error) !== 'EPERM') throw error
  }
  await file.chmod(mode & 0o7777)
}
