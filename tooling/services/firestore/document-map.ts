import { isDeepStrictEqual } from 'node:util'
import { status } from '@grpc/grpc-js'
import { checkName, checkSize } from './document-limits.ts'
import { failure, toMicros, unimplemented, type Fields, type Precondition, type Write } from './protocol.ts'

/** A document; times are microseconds since 1970. */
export interface StoredDocument {
  name: string
  fields: Fields
  createTime: bigint
  updateTime: bigint
}

interface Commit {
  time: bigint
  /** Of each write. A write that changes nothing keeps the document's, as in Firestore. */
  updateTimes: bigint[]
}

/** All documents, in memory. Every method does its work in one turn of the event loop, which is what isolates it. */
export interface DocumentMap {
  get(name: string): StoredDocument | undefined
  /** The documents right in a collection, in no order. */
  list(collection: string): StoredDocument[]
  /** Makes all writes, or none if one of their preconditions does not hold. */
  commit(writes: readonly Write[]): Commit
}

export function documentMap(): DocumentMap {
  const collections = new Map<string, Map<string, StoredDocument>>()
  let lastTime = 0n

  /** Times of commits rise, whatever the clock does, and no two are equal. */
  function nextTime(): bigint {
    const now = BigInt(Date.now()) * 1000n
    lastTime = now > lastTime ? now : lastTime + 1n
    return lastTime
  }

  function get(name: string): StoredDocument | undefined {
    return collections.get(collectionOf(name))?.get(name)
  }

  function put(name: string, document: StoredDocument | undefined): void {
    const path = collectionOf(name)
    const collection = collections.get(path) ?? new Map<string, StoredDocument>()
    if (document === undefined) collection.delete(name)
    else collection.set(name, document)
    if (collection.size === 0) collections.delete(path)
    else collections.set(path, collection)
  }

  return {
    get,
    list: (collection) => [...(collections.get(collection)?.values() ?? [])],

    commit(writes) {
      const time = nextTime()
      const changed = new Map<string, StoredDocument | undefined>()
      for (const write of writes) {
        const name = nameOf(write)
        checkName(name)
        const before = changed.has(name) ? changed.get(name) : get(name)
        checkPrecondition(name, before, write.currentDocument)
        changed.set(name, written(before, write, time))
      }
      for (const [name, document] of changed) put(name, document)
      return { time, updateTimes: writes.map((write) => get(nameOf(write))?.updateTime ?? time) }
    },
  }
}

function collectionOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/'))
}

function nameOf({ update, delete: deleted }: Write): string {
  if (update === undefined && deleted === undefined) throw unimplemented('such write')
  return update?.name ?? deleted!
}

function checkPrecondition(name: string, before: StoredDocument | undefined, condition: Precondition = {}): void {
  const { exists, updateTime } = condition
  if (exists === true && before === undefined) throw failure(status.NOT_FOUND, `No document to update: ${name}`)
  if (exists === false && before !== undefined) {
    throw failure(status.ALREADY_EXISTS, `Document already exists: ${name}`)
  }
  if (updateTime !== undefined && before?.updateTime !== toMicros(updateTime)) {
    throw failure(status.FAILED_PRECONDITION, `The stored version is not the required base version: ${name}`)
  }
}

function written(before: StoredDocument | undefined, write: Write, time: bigint): StoredDocument | undefined {
  const { update, updateMask, updateTransforms } = write
  if (updateTransforms.length > 0) throw unimplemented('transforms')
  if (update === undefined) return undefined
  const fields = updateMask === undefined ? (update.fields ?? {}) : masked(before, update.fields, updateMask.fieldPaths)
  checkSize(update.name, fields)
  if (before !== undefined && isDeepStrictEqual(before.fields, fields)) return before
  return { name: update.name, fields, createTime: before?.createTime ?? time, updateTime: time }
}

/** The fields of the mask are taken from the update, or removed where it has none; the others stay. */
function masked(before: StoredDocument | undefined, update: Fields = {}, paths: readonly string[]): Fields {
  const fields = { ...before?.fields }
  for (const path of paths) {
    if (!/^\w+$/.test(path)) throw unimplemented('masks with nested fields')
    const value = update[path]
    if (value === undefined) delete fields[path]
    else fields[path] = value
  }
  return fields
}
