import {
  decideWrite,
  type CallOptions,
  type Range,
  type Row,
  type RowId,
  type RowWrite,
  type WriteResult,
} from '@keepsake/core'
import { entityList } from './entity-list.ts'
import type { FirestoreClient } from './firestore-client.ts'
import { inParallel } from './in-parallel.ts'
import { rowChanges, type RowChange } from './row-changes.ts'
import type { RowHead } from './row-document.ts'
import { rowReader } from './row-reader.ts'

/** What the store does with rows, on arguments that were checked. */
export interface FirestoreRows {
  load(ids: readonly RowId[], options?: CallOptions): Promise<(Row | undefined)[]>
  scan(entity: string, range: Range, options?: CallOptions): Promise<Row[]>
  entities(range: Range, options?: CallOptions): Promise<string[]>
  write(rows: readonly RowWrite[], options?: CallOptions): Promise<WriteResult[]>
  remove(ids: readonly (RowId & { seq?: number })[], options?: CallOptions): Promise<number>
  removeEntity(entity: string, options?: CallOptions): Promise<number>
  /** Removes everything, and the names of entities that have no rows. */
  removeAll(options?: CallOptions): Promise<void>
}

const LANES = 16
const NO_BYTES = new Uint8Array(0)

export function firestoreRows(client: FirestoreClient): FirestoreRows {
  const reader = rowReader(client)
  const entities = entityList(client)
  const changes = rowChanges(client, reader, entities)

  async function removeEntity(entity: string, o?: CallOptions): Promise<number> {
    let removed = 0
    for await (const page of reader.pages(entity, o)) {
      const results = await changes.make(
        page.map((row) => removal(row, row)),
        o,
      )
      removed += count(results)
    }
    await entities.removeIfEmpty(entity, o)
    return removed
  }

  return {
    load: (ids, o) => reader.rows(ids, o),
    scan: (entity, range, o) => reader.scan(entity, range, o),
    entities: (range, o) => entities.read(range, o),
    write: (rows, o) => changes.make(rows.map(writing), o),
    removeEntity,

    async remove(ids, o) {
      const results = await changes.make(
        ids.map((id) => removal(id)),
        o,
      )
      const touched = new Set(ids.filter((_, index) => results[index]).map(({ entity }) => entity))
      await inParallel([...touched], LANES, (entity) => entities.removeIfEmpty(entity, o))
      return count(results)
    },

    async removeAll(o) {
      for await (const page of entities.pages(o)) await inParallel(page, LANES, (entity) => removeEntity(entity, o))
    },
  }
}

function writing(write: RowWrite): RowChange<WriteResult> {
  const { guard = 'monotonic', seq, rec } = write
  return {
    id: write,
    bytes: rec.length,
    // Most claims are the first of their kind.
    ...(guard === 'absent' && { assumed: null }),
    // Records are compared only at equal seqs.
    needsRecord: (head) => guard !== 'monotonic' && head.seq === seq,
    decide(stored) {
      const result = decideWrite(stored && { seq: stored.seq, rec: stored.rec ?? NO_BYTES }, write)
      return { result, ...(result.status === 'applied' && { becomes: write }) }
    },
  }
}

function removal({ seq, ...id }: RowId & { seq?: number }, assumed?: RowHead): RowChange<boolean> {
  return {
    id,
    bytes: 0,
    ...(assumed !== undefined && { assumed }),
    needsRecord: () => false,
    decide(stored) {
      const goes = stored !== undefined && (seq === undefined || stored.seq === seq)
      return { result: goes, ...(goes && { becomes: null }) }
    },
  }
}

function count(results: readonly boolean[]): number {
  return results.filter(Boolean).length
}
