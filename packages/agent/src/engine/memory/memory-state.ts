import type { Row, RowId, RowStore, RowWrite } from '@keepsake/core'
import { commitKey, readCommit, snapshotKey, snapshotRow, type Commit } from '../rows/commit.ts'
import type { CommitRef, Head } from '../rows/head.ts'
import { damaged, valueOf } from '../rows/row.ts'
import { bytesOf, changesSince, wholeBlob, type BlobChanges, type MemoryBlob } from './memory-blob.ts'

/** The working memory as it is stored: the last snapshot, and what has changed since. */
export interface MemoryState {
  snapshot?: BlobChanges
  changes?: BlobChanges
}

/** The rows that hold the working memory, for one read. */
export function memoryIds(entity: string, memory: Head['memory']): RowId[] {
  if (memory === undefined) return []
  const ids = [{ entity, key: commitKey(memory) }]
  return memory.snapshot === undefined ? ids : [...ids, { entity, key: snapshotKey(memory.snapshot) }]
}

/** The rows of {@link memoryIds}, read. */
export function readMemory(memory: Head['memory'], rows: readonly (Row | undefined)[]): MemoryState {
  if (memory === undefined) return {}
  const [commit, snapshot] = rows
  if (commit === undefined || (memory.snapshot !== undefined && snapshot === undefined))
    throw damaged('The rows of the working memory are missing')
  const { changes } = readCommit(commit)
  return {
    ...(changes !== undefined && { changes }),
    ...(snapshot !== undefined && { snapshot: valueOf<BlobChanges>(snapshot) }),
  }
}

/** Reads the working memory by itself: no call where it is empty. */
export async function loadMemory(store: RowStore, entity: string, memory: Head['memory']): Promise<MemoryState> {
  return memory === undefined ? {} : readMemory(memory, await store.load(memoryIds(entity, memory)))
}

/** Changes up to this size, or a quarter of the whole, are kept beside the snapshot; beyond, a new one is made. */
const MAX_CHANGES_BYTES = 16_384

/** What a commit says of the working memory, and the snapshot that goes with it. */
export function memoryOfCommit(
  ref: CommitRef,
  blob: MemoryBlob,
  before: MemoryState,
  head: Head,
  write: { entity: string; nowMs: number; writeId: string },
): { fields: Pick<Commit, 'memory' | 'changes'>; rows: RowWrite[] } {
  if (blob.touched.size === 0) return { fields: head.memory === undefined ? {} : { memory: head.memory }, rows: [] }
  const { s, ep } = ref
  const changes = changesSince(blob, before.snapshot, before.changes)
  if (bytesOf(changes) <= Math.max(MAX_CHANGES_BYTES, blob.bytes / 4)) {
    const snapshot = head.memory?.snapshot
    return { fields: { memory: { s, ep, ...(snapshot !== undefined && { snapshot }) }, changes }, rows: [] }
  }
  const whole = wholeBlob(blob)
  return {
    fields: { memory: { s, ep, snapshot: { s, ep } } },
    rows: [snapshotRow(write.entity, ref, whole, write.nowMs, write.writeId)],
  }
}
