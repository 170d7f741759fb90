import { lstat } from 'node:fs/promises'
import { readJsonList, writeJsonList } from './json-list.ts'
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

export function operationList(directory: PinnedDirectory, listName: string): OperationList {
  const path = directory.at(listName)

  async function read(): Promise<Operation[]> {
    // Damaged by another program: it is written anew.
    return ((await readJsonList(path)) ?? []).filter(isOperation)
  }

  const write = (operations: readonly Operation[]): Promise<void> => writeJsonList(path, operations)

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
