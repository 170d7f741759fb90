import { constants } from 'node:fs'
import { lstat, open, rename, rm } from 'node:fs/promises'
import type { PinnedDirectory } from './pinned-directory.ts'
import { ifThere } from './refusal.ts'

/** A named change of a file: see `opId`. */
interface Operation {
  id: string
  /** Of the file. Several share a list where a disk might take their names for one. */
  name: string
  /**
   * What the change was written into, to be renamed over the file: while it is there, that has not happened. It is never
   * removed before its entry is.
   */
  temporary: string
}

/** The last changes of a file that had names, beside it in a file of ours. Used by whoever holds the file's lock. */
export interface OperationList {
  /** Whether a change has landed. */
  has(id: string, name: string): Promise<boolean>
  add(operation: Operation): Promise<void>
  /** Takes back what was added, unless it has landed. */
  withdraw(temporary: string): Promise<void>
  /** Forgets a file that is deleted. */
  forget(name: string): Promise<void>
}

const MAX_OPERATIONS = 16
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const WRITE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0)

export function operationList(directory: PinnedDirectory, listName: string): OperationList {
  const path = directory.at(listName)

  async function read(): Promise<Operation[]> {
    const handle = await ifThere(open(path, READ_FLAGS))
    if (handle === undefined) return []
    await using file = handle
    try {
      const operations: unknown = JSON.parse(await file.readFile('utf8'))
      return Array.isArray(operations) ? operations.filter(isOperation) : []
    } catch {
      // Only another program can have damaged it: it is written whole.
      return []
    }
  }

  /** Whole or not at all; the directory is not synced. */
  async function write(operations: readonly Operation[]): Promise<void> {
    if (operations.length === 0) return rm(path, { force: true })
    const temporary = `${path}.tmp`
    {
      await using file = await open(temporary, WRITE_FLAGS, 0o666)
      await file.writeFile(JSON.stringify(operations))
      await file.sync()
    }
    await rename(temporary, path)
  }

  async function isThere(name: string): Promise<boolean> {
    return (await ifThere(lstat(directory.at(name)))) !== undefined
  }

  async function keep(isKept: (operation: Operation) => boolean): Promise<void> {
    const operations = await read()
    const kept = operations.filter(isKept)
    if (kept.length < operations.length) await write(kept)
  }

  return {
    async has(id, name) {
      const found = (await read()).find((operation) => operation.id === id && operation.name === name)
      return found !== undefined && !(await isThere(found.temporary))
    },
    async add(operation) {
      await write([operation, ...(await read())].slice(0, MAX_OPERATIONS))
    },
    async withdraw(temporary) {
      if (await isThere(temporary)) await keep((operation) => operation.temporary !== temporary)
    },
    forget: (name) => keep((operation) => operation.name !== name),
  }
}

function isOperation(value: unknown): value is Operation {
  const { id, name, temporary } = (value ?? {}) as Partial<Record<keyof Operation, unknown>>
  // The name is looked up in the directory.
  return typeof id === 'string' && typeof name === 'string' && typeof temporary === 'string' && !temporary.includes('/')
}
