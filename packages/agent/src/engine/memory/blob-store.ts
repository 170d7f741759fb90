import {
  compareUtf8,
  decideWrite,
  KeepsakeError,
  LISTED_SEQ,
  type Row,
  type RowStore,
  type RowWrite,
} from '@keepsake/core'
import { MEMORY_HARD_CAP_BYTES, makeRoom, pathOfKey, RESERVED_PREFIX, type MemoryBounds } from './compactor.ts'
import { entryBytes, setRow, type BlobRow, type MemoryBlob } from './memory-blob.ts'
import { partialStore } from './partial-store.ts'

/**
 * A blob as a store of the rows of `entity`, so that working memory is core's records like everything else. Reads count as
 * uses; a write that does not fit evicts first. Nothing here waits.
 */
export function blobStore(blob: MemoryBlob, entity: string, bounds: MemoryBounds, reserved: boolean): RowStore {
  function use(key: string): Row | undefined {
    const row = blob.rows.get(key)
    if (row === undefined) return undefined
    row[4] = ++blob.tick
    blob.touched.add(key)
    return toRow(key, row)
  }

  function toRow(key: string, [seq, rec, updatedAtMs, expiresAtMs]: BlobRow): Row {
    return { entity, key, seq, rec, updatedAtMs, ...(expiresAtMs !== null && { expiresAtMs }) }
  }

  function admit({ key, seq, rec, updatedAtMs, expiresAtMs }: RowWrite): void {
    if (reserved && pathOfKey(key).startsWith(RESERVED_PREFIX)) {
      throw new KeepsakeError('invalid_key', `Keys below ${RESERVED_PREFIX} are the engine's own; take another one.`)
    }
    if (rec.length > 0) {
      for (const evicted of makeRoom(blob, key, entryBytes(key, rec), bounds)) {
        setRow(blob, evicted, undefined)
        blob.touched.add(evicted)
      }
    }
    blob.touched.add(key)
    setRow(blob, key, rec.length === 0 ? undefined : [seq, rec, updatedAtMs, expiresAtMs ?? null, ++blob.tick])
  }

  return partialStore({
    name: 'working memory',
    limits: { maxRecBytes: MEMORY_HARD_CAP_BYTES, maxBatchRows: 1000, atomicBatch: true },
    async load(ids) {
      return ids.map(({ key }) => use(key))
    },
    async scan(_entity, { prefix = '', after, limit }) {
      const keys = [...blob.rows.keys()].filter(
        (key) => key.startsWith(prefix) && (after === undefined || compareUtf8(key, after) > 0),
      )
      return keys
        .toSorted(compareUtf8)
        .slice(0, limit)
        .map((key) => use(key)!)
    },
    async write(rows) {
      return rows.map((write) => {
        // The directory of subjects names this entity already.
        if (write.entity !== entity) return { status: 'stale', seq: LISTED_SEQ }
        const stored = blob.rows.get(write.key)
        const result = decideWrite(stored && toRow(write.key, stored), write)
        if (result.status === 'applied') admit(write)
        return result
      })
    },
  })
}
