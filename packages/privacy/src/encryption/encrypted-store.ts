import {
  checkStore,
  encodeTuple,
  equalBytes,
  type CallOptions,
  type Key,
  type Row,
  type RowStore,
  type RowWrite,
  type WriteResult,
} from '@keepsake/core'
import { rewritingStore } from '../rewriting-store.ts'
import { checkKeys, openSealed } from './open-sealed.ts'
import { rowPlace, SEALED_BYTES, sealRecords } from './sealed-record.ts'
import type { SubjectKeys } from './subject-keys.ts'
import { subjectOf } from './subject-of.ts'

export interface EncryptionOptions {
  /** The data keys: `subjectKeys({ store, wrapping })`. */
  keys: SubjectKeys
  /**
   * Whose key a row is written with. Default: the subject that its envelope names, else its owner, else the owner of the
   * entity, else the entity.
   */
  subjectOf?: (row: RowWrite) => Key
  /**
   * Reads records that are not encrypted as they are: while a store that holds such is being encrypted by
   * {@link encryptStore}. Default `false`: they are refused, for whoever can write to the database could plant one.
   */
  readPlain?: boolean
}

/**
 * A store whose records are encrypted before they reach `store`, by AES-256-GCM-SIV (RFC 8452), each with its subject's
 * key. Equal writes stay equal bytes, so every guard and every replay works as before. A record is bound to its row and
 * version; one bit of another is an `invalid_value` that names the row. A record whose key was destroyed reads as a
 * tombstone: it is gone, and its guard stays.
 *
 * Visible to who reads the database: entities, keys, versions, times, sizes (42 bytes more than the record's), which rows
 * are of one subject, and which are tombstones. Search indexes in the database would hold the texts: use those in process.
 * Costs some 6 us a row and 3 us a KiB, and no round trip once a subject's key is known. Throws `invalid_value` for what is
 * no store or no keys.
 */
export function encrypted(store: RowStore, options: EncryptionOptions): RowStore {
  checkStore(store, 'encrypted: store')
  const { keys, readPlain = false } = options ?? {}
  checkKeys(keys, 'encrypted: keys')

  async function sealed(rows: readonly RowWrite[], call: CallOptions | undefined): Promise<RowWrite[]> {
    const written = [...rows]
    // Most batches are of one subject.
    const bySubject = new Map<string, { subject: Key; indexes: number[] }>()
    for (const [index, row] of rows.entries()) {
      // A tombstone has nothing to hide, and must stay one.
      if (row.rec.length === 0) continue
      const subject = options.subjectOf?.(row) ?? subjectOf(row.entity, row.rec)
      const name = encodeTuple(subject)
      const theirs = bySubject.get(name)
      if (theirs === undefined) bySubject.set(name, { subject, indexes: [index] })
      else theirs.indexes.push(index)
    }
    for (const { subject, indexes } of bySubject.values()) {
      const { id, key } = await keys.current(subject, call)
      const records = indexes.map((index) => ({ rec: rows[index]!.rec, place: rowPlace(rows[index]!) }))
      for (const [i, rec] of sealRecords(records, id, key).entries()) {
        written[indexes[i]!] = { ...rows[indexes[i]!]!, rec }
      }
    }
    return written
  }

  async function opened<R extends Row | undefined>(row: R, call: CallOptions | undefined): Promise<R> {
    if (row === undefined || row.rec.length === 0) return row
    const rec = await openSealed(row.rec, rowPlace(row), { keys, readPlain }, call)
    return { ...row, rec: rec ?? new Uint8Array() }
  }

  async function openedAll<R extends Row | undefined>(rows: readonly R[], call: CallOptions | undefined): Promise<R[]> {
    const all: R[] = []
    for (const row of rows) all.push(await opened(row, call))
    return all
  }

  /**
   * A repeat is told by equal bytes. If the subject's key was changed since the first time they differ, though the record
   * does not: then the records are compared.
   */
  async function recognised(
    rows: readonly RowWrite[],
    results: readonly WriteResult[],
    call: CallOptions | undefined,
  ): Promise<WriteResult[]> {
    const suspects = rows.filter((row, i) => isSuspect(row, results[i]!))
    if (suspects.length === 0) return [...results]
    const stored = await openedAll(await store.load(suspects, call), call)
    const same = new Set(suspects.filter((row, i) => stored[i]?.seq === row.seq && equalBytes(stored[i].rec, row.rec)))
    return results.map((result, i) => (same.has(rows[i]!) ? { status: 'applied' } : result))
  }

  return rewritingStore(store, {
    limits: { ...store.limits, maxRecBytes: store.limits.maxRecBytes - SEALED_BYTES },
    load: async (ids, call) => openedAll(await store.load(ids, call), call),
    scan: async (entity, range, call) => openedAll(await store.scan(entity, range, call), call),
    write: async (rows, call) => recognised(rows, await store.write(await sealed(rows, call), call), call),
  })
}

function isSuspect(row: RowWrite, result: WriteResult): boolean {
  return result.status === 'stale' && result.seq === row.seq && row.rec.length > 0
}
