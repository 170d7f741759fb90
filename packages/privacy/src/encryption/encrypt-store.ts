import { walkEntities, walkRows, type CallOptions, type Row, type RowStore, type RowWrite } from '@keepsake/core'
import { encrypted, type EncryptionOptions } from './encrypted-store.ts'
import { dataKeyIdOf, rowPlace } from './sealed-record.ts'
import { subjectOf } from './subject-of.ts'

export interface EncryptStoreOptions extends CallOptions, Omit<EncryptionOptions, 'readPlain'> {
  /** Called after each batch. */
  onProgress?: (progress: { rows: number; rewritten: number }) => void
}

/**
 * Writes every record again that is not encrypted with its subject's current key: turns encryption on for a store that
 * holds rows, and brings a rotated key everywhere. Versions and times stay, so no reader or writer notices; a row that
 * changes meanwhile is left to its writer. One that is removed for good between its reading and its writing is there
 * again: erase nobody while it runs. Can be stopped and begun again. Returns how many rows it read and rewrote.
 */
export async function encryptStore(
  store: RowStore,
  { signal, onProgress, ...options }: EncryptStoreOptions,
): Promise<{ rows: number; rewritten: number }> {
  const call = signal && { signal }
  const reader = encrypted(store, { ...options, readPlain: true })
  const progress = { rows: 0, rewritten: 0 }
  for await (const entity of walkEntities(store, call)) {
    let batch: Row[] = []
    for await (const row of walkRows(store, entity, call)) {
      progress.rows++
      if (row.rec.length > 0) batch.push(row)
      if (batch.length >= BATCH_ROWS) {
        await rewrite(batch)
        batch = []
      }
    }
    await rewrite(batch)
  }
  return progress

  async function rewrite(stored: readonly Row[]): Promise<void> {
    if (stored.length === 0) return
    const plain = await reader.load(stored, call)
    const due: RowWrite[] = []
    for (const [i, row] of plain.entries()) {
      if (row === undefined || row.rec.length === 0 || row.seq !== stored[i]!.seq) continue
      const { id } = await options.keys.current(options.subjectOf?.(row) ?? subjectOf(row.entity, row.rec), call)
      const now = dataKeyIdOf(stored[i]!.rec, rowPlace(stored[i]!))
      if (now?.generation === id.generation && isSame(now.subject, id.subject)) continue
      due.push(row)
    }
    if (due.length > 0) {
      // Monotonic: at an equal version the same record in another coat, at a later one nothing.
      const results = await reader.write(due, call)
      progress.rewritten += results.filter(({ status }) => status === 'applied').length
    }
    onProgress?.({ ...progress })
  }
}

const BATCH_ROWS = 100

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.every((byte, i) => byte === b[i])
}
