import { KeepsakeError, throwIfAborted } from '../errors.ts'
import { decideWrite } from './guard.ts'
import { checkEntity, checkRange, checkRowIds, checkRowWrites } from './row-checks.ts'
import {
  MAX_REC_BYTES,
  type CallOptions,
  type Range,
  type Row,
  type RowId,
  type RowStore,
  type RowWrite,
  type StoreLimits,
} from './row-store.ts'
import { sortedStrings, type SortedStrings } from './sorted-strings.ts'

type StoredRow = Omit<Row, 'entity' | 'key'>

interface Entity {
  rows: Map<string, StoredRow>
  keys: SortedStrings
}

const limits: StoreLimits = Object.freeze({ maxRecBytes: MAX_REC_BYTES, maxBatchRows: 1000, atomicBatch: true })

/**
 * Rows in this process's memory: the reference that every other store is measured against, and no weaker than them.
 * Nothing survives the process; nothing is evicted, so memory grows with what is stored. A call costs O(log n) per row.
 */
export function inMemoryStore(): RowStore {
  const byEntity = new Map<string, Entity>()
  const names = sortedStrings()
  let closed = false

  function begin(options: CallOptions | undefined): void {
    if (closed) throw new KeepsakeError('unavailable', 'This in-memory store was closed; open a new one.')
    throwIfAborted(options?.signal)
  }

  function entityFor(name: string): Entity {
    let entity = byEntity.get(name)
    if (entity === undefined) {
      entity = { rows: new Map(), keys: sortedStrings() }
      byEntity.set(name, entity)
      names.add(name)
    }
    return entity
  }

  function drop(name: string): void {
    byEntity.delete(name)
    names.delete(name)
  }

  return {
    name: 'memory',
    limits,

    // Every method does its work in one turn of the event loop, which is what makes it atomic.
    async load(ids: readonly RowId[], options?: CallOptions) {
      checkRowIds(ids)
      begin(options)
      return ids.map(({ entity, key }) => {
        const row = byEntity.get(entity)?.rows.get(key)
        return row && toRow(entity, key, row)
      })
    },

    async scan(entity: string, range: Range, options?: CallOptions) {
      checkEntity(entity)
      checkRange(range)
      begin(options)
      const found = byEntity.get(entity)
      if (found === undefined) return []
      return take(found.keys, range).map((key) => toRow(entity, key, found.rows.get(key)!))
    },

    async entities(range: Range, options?: CallOptions) {
      checkRange(range)
      begin(options)
      return take(names, range)
    },

    async write(rows: readonly RowWrite[], options?: CallOptions) {
      checkRowWrites(rows, limits)
      begin(options)
      return rows.map((write) => {
        const result = decideWrite(byEntity.get(write.entity)?.rows.get(write.key), write)
        if (result.status === 'applied') {
          const entity = entityFor(write.entity)
          if (!entity.rows.has(write.key)) entity.keys.add(write.key)
          entity.rows.set(write.key, toStored(write))
        }
        return result
      })
    },

    async remove(ids: readonly (RowId & { seq?: number })[], options?: CallOptions) {
      checkRowIds(ids)
      begin(options)
      let removed = 0
      for (const { entity: name, key, seq } of ids) {
        const entity = byEntity.get(name)
        const row = entity?.rows.get(key)
        if (entity === undefined || row === undefined || (seq !== undefined && row.seq !== seq)) continue
        entity.rows.delete(key)
        entity.keys.delete(key)
        if (entity.rows.size === 0) drop(name)
        removed++
      }
      return removed
    },

    async removeEntity(entity: string, options?: CallOptions) {
      checkEntity(entity)
      begin(options)
      const removed = byEntity.get(entity)?.rows.size ?? 0
      drop(entity)
      return removed
    },

    async provision(options?: CallOptions & { down?: boolean; to?: number }) {
      begin(options)
      if (options?.down) for (const name of byEntity.keys()) drop(name)
    },

    async verify(options?: CallOptions) {
      begin(options)
    },

    async close() {
      closed = true
    },

    async [Symbol.asyncDispose]() {
      await this.close()
    },
  }
}

function take(sorted: SortedStrings, { prefix = '', after, limit }: Range): string[] {
  const found: string[] = []
  for (const text of sorted.from(prefix, after)) {
    if (!text.startsWith(prefix)) break
    found.push(text)
    if (found.length === limit) break
  }
  return found
}

function toStored({ seq, rec, updatedAtMs, expiresAtMs }: RowWrite): StoredRow {
  return { seq, rec: copy(rec), updatedAtMs, ...(expiresAtMs !== undefined && { expiresAtMs }) }
}

function toRow(entity: string, key: string, { seq, rec, updatedAtMs, expiresAtMs }: StoredRow): Row {
  return { entity, key, seq, rec: copy(rec), updatedAtMs, ...(expiresAtMs !== undefined && { expiresAtMs }) }
}

/** A real copy also of a Node Buffer, whose own `slice` would share its memory. */
function copy(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}
