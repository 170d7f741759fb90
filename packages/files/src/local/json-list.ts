import { constants } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { ifThere } from './refusal.ts'

const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const WRITE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0)

/** A list in a file of ours; empty where there is none, `undefined` where another program has damaged it. */
export async function readJsonList(path: string): Promise<unknown[] | undefined> {
  const handle = await ifThere(open(path, READ_FLAGS))
  if (handle === undefined) return []
  await using file = handle
  try {
    const list: unknown = JSON.parse(await file.readFile('utf8'))
    return Array.isArray(list) ? list : undefined
  } catch {
    return undefined
  }
}

/** Whole or not at all; the directory is not synced. By whoever holds the file's lock. An empty list has no file. */
export async function writeJsonList(path: string, list: readonly unknown[]): Promise<void> {
  if (list.length === 0) return rm(path, { force: true })
  const temporary = `${path}.tmp`
  {
    await using file = await open(temporary, WRITE_FLAGS, 0o666)
    await file.writeFile(JSON.stringify(list))
    await file.sync()
  }
  await rename(temporary, path)
}
