import { utf8Length } from '@keepsake/core'

/** An entry of the working memory: seq, rec, updatedAtMs, expiresAtMs, and when it was last used, on the blob's own count. */
export type BlobRow = [seq: number, rec: Uint8Array, updatedAtMs: number, expiresAtMs: number | null, used: number]

/** Entries by key: `null` was removed, a number was only used. With all entries it is a snapshot. */
export interface BlobChanges {
  /** Counts writes and uses: the versions of entries, and the order in which they were used. */
  tick: number
  rows: { [key: string]: BlobRow | null | number }
}

/** The working memory of an activation. */
export interface MemoryBlob {
  tick: number
  rows: Map<string, BlobRow>
  bytes: number
  /** Keys that were written or used since it was loaded. */
  touched: Set<string>
}

/** An upper bound of what CBOR adds to a key and its record. */
const ENTRY_OVERHEAD_BYTES = 40

export function entryBytes(key: string, rec: Uint8Array): number {
  return utf8Length(key) + rec.length + ENTRY_OVERHEAD_BYTES
}

/** The working memory that a snapshot and what has changed since come to, without what has expired. */
export function loadBlob(
  snapshot: BlobChanges | undefined,
  changes: BlobChanges | undefined,
  nowMs: number,
): MemoryBlob {
  const blob: MemoryBlob = { tick: changes?.tick ?? snapshot?.tick ?? 0, rows: new Map(), bytes: 0, touched: new Set() }
  for (const part of [snapshot, changes]) {
    for (const [key, row] of Object.entries(part?.rows ?? {})) {
      if (typeof row !== 'number') setRow(blob, key, row === null ? undefined : [...row])
      else if (blob.rows.has(key)) blob.rows.get(key)![4] = row
    }
  }
  for (const [key, [, , , expiresAtMs]] of blob.rows) {
    if (expiresAtMs === null || expiresAtMs > nowMs) continue
    setRow(blob, key, undefined)
    blob.touched.add(key)
  }
  return blob
}

/** Sets or removes an entry, and counts its bytes. */
export function setRow(blob: MemoryBlob, key: string, row: BlobRow | undefined): void {
  const before = blob.rows.get(key)
  if (before !== undefined) blob.bytes -= entryBytes(key, before[1])
  if (row === undefined) blob.rows.delete(key)
  else {
    blob.rows.set(key, row)
    blob.bytes += entryBytes(key, row[1])
  }
}

/** What differs from the snapshot, after what had changed before and what was touched now. */
export function changesSince(
  blob: MemoryBlob,
  snapshot: BlobChanges | undefined,
  before: BlobChanges | undefined,
): BlobChanges {
  const rows: BlobChanges['rows'] = { ...before?.rows }
  for (const key of blob.touched) {
    const row = blob.rows.get(key)
    const base = snapshot?.rows[key]
    if (row === undefined) {
      if (base === undefined) delete rows[key]
      else rows[key] = null
    } else if (Array.isArray(base) && base[0] === row[0]) rows[key] = row[4]
    else rows[key] = row
  }
  return { tick: blob.tick, rows }
}

export function bytesOf(changes: BlobChanges): number {
  let bytes = 0
  for (const [key, row] of Object.entries(changes.rows)) {
    bytes += Array.isArray(row) ? entryBytes(key, row[1]) : entryBytes(key, new Uint8Array())
  }
  return bytes
}

export function wholeBlob(blob: MemoryBlob): BlobChanges {
  return { tick: blob.tick, rows: Object.fromEntries(blob.rows) }
}
