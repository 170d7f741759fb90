import { defineStore } from './define-store.ts'
import { decideWrite } from './guard.ts'
import { MAX_REC_BYTES, type Range, type Row, type RowStore, type RowWrite, type StoreLimits } from './row-store.ts'
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

  return defineStore({
    name: 'memory',
    limits,

    // Every method does its work in one turn of the event loop, which is what makes it atomic.
    load(ids) {
      return ids.map(({ entity, key }) => {
        const row = byEntity.get(entity)?.rows.get(key)
        return row && toRow(entity, key, row)
      })
    },

    scan(entity, range) {
      const found = byEntity.get(entity)
      if (found === undefined) return []
      return take(found.keys, range).map((key) => toRow(entity, key, found.rows.get(key)!))
    },

    entities: (range) => take(names, range),

    write(rows) {
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

    remove(ids) {
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

    removeEntity(entity) {
      const removed = byEntity.get(entity)?.rows.size ?? 0
      drop(entity)
      return removed
    },

    provision(options) {
      if (options?.down) for (const name of byEntity.keys()) drop(name)
    },

    verify() {},
    close() {},
  })
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
