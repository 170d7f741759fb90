import {
  decodeEnvelope,
  decodeTuple,
  encodeEnvelope,
  encodeTuple,
  KeepsakeError,
  ownerEntity,
  type Row,
  type RowStore,
  type RowWrite,
  type Storable,
} from '@keepsake/core'
import type { Ground } from '../ground.ts'
import type { MemoryBlob } from '../memory/memory-blob.ts'
import type { CommitRef } from '../rows/head.ts'
import { writeUnlessErased } from '../longterm/plan.ts'
import type { FlushToLongterm } from './flush-to-longterm.ts'

/**
 * Writes the working memory of a commit into long-term memory, once: the same bytes however often it is tried. Returns
 * whether it is there; it is not, if a later one is, or somebody else came between.
 */
export async function flushMemory(
  ground: Ground,
  { id, blob, committed, dueMs }: { id: string; blob: MemoryBlob; committed: CommitRef; dueMs: number },
  { key, timeoutMs }: FlushToLongterm,
): Promise<boolean> {
  const store = await ground.longterm()
  const entity = ownerEntity(id)
  const rowKey = encodeTuple(['r', ...key])
  const flushing = (async () => {
    const [stored] = await store.load([{ entity, key: rowKey }])
    const flushed = flushedCommit(stored)
    if (flushed !== undefined && flushed >= committed.s) return flushed === committed.s
    const write = await flushRow(store, { entity, key: rowKey, id, blob, committed, dueMs, stored })
    const results = await writeUnlessErased(ground, store, { entity, subjects: [[id]] }, [write])
    // What is being erased is not kept: the memory can go.
    return results === undefined || results[0]!.status === 'applied'
  })()
  return within(ground, timeoutMs, flushing)
}

interface FlushOf {
  entity: string
  key: string
  id: string
  blob: MemoryBlob
  committed: CommitRef
  dueMs: number
  stored: Row | undefined
}

async function flushRow(
  store: RowStore,
  { entity, key, id, blob, committed, dueMs, stored }: FlushOf,
): Promise<RowWrite> {
  const entries = [...blob.rows].map(([rowKey, [, rec]]): Storable => ({
    key: decodeTuple(rowKey).slice(1),
    value: decodeEnvelope(rec).value,
  }))
  const value = { entries }
  const rec = encodeEnvelope({ value, createdAtMs: dueMs, owner: [id], writeIds: [`${FLUSH}${committed.s}`] })
  if (rec.length > store.limits.maxRecBytes) {
    throw new KeepsakeError(
      'too_large',
      'The working memory that expired does not fit in a record of long-term memory.',
    )
  }
  const seq = Math.max(committed.s, (stored?.seq ?? -1) + 1)
  return { entity, key, seq, rec, updatedAtMs: dueMs, guard: stored === undefined ? 'absent' : { seq: stored.seq } }
}

/** Begins the id of a write that flushes: the rest of it is the commit. */
const FLUSH = 'flush-'

/** Which commit's memory a stored record is; `undefined` for anything else. */
function flushedCommit(stored: Row | undefined): number | undefined {
  if (stored === undefined || stored.rec.length === 0) return undefined
  const [writeId = ''] = decodeEnvelope(stored.rec).writeIds ?? []
  return writeId.startsWith(FLUSH) ? Number(writeId.slice(FLUSH.length)) : undefined
}

async function within<T>({ seams }: Ground, timeoutMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const cancel = seams.setTimer(timeoutMs, () =>
    late.reject(
      new KeepsakeError('unavailable', `Long-term memory did not take expired working memory within ${timeoutMs} ms.`, {
        retryable: true,
      }),
    ),
  )
  try {
    return await Promise.race([work, late.promise])
  } finally {
    cancel()
  }
}
