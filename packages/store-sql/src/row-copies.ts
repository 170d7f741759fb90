import type { Range, RowId, RowWrite } from '@keepsake/core'

// A call that has to wait works on copies, as its caller may change the arguments meanwhile.

export function copyIds(ids: readonly (RowId & { seq?: number })[]): (RowId & { seq?: number })[] {
  return ids.map(({ entity, key, seq }) => ({ entity, key, ...(seq !== undefined && { seq }) }))
}

export function copyWrites(writes: readonly RowWrite[]): RowWrite[] {
  const recs = copyBytes(writes.map(({ rec }) => rec))
  return writes.map(({ entity, key, seq, updatedAtMs, expiresAtMs, guard = 'monotonic' }, i) => ({
    entity,
    key,
    seq,
    rec: recs[i]!,
    updatedAtMs,
    expiresAtMs,
    guard: typeof guard === 'string' ? guard : { seq: guard.seq },
  }))
}

export function copyRange({ limit, prefix = '', after }: Range): Range {
  return { limit, prefix, ...(after !== undefined && { after }) }
}

/** Larger bytes have a buffer of their own. Making one takes longer than copying so many. */
const MAX_SHARED_BYTES = 1024

/** Copies of bytes that share no memory with them. Small ones lie side by side in one buffer. */
export function copyBytes(list: readonly Uint8Array[]): Uint8Array[] {
  const shared = new Uint8Array(
    list.reduce((bytes, { length }) => (length > MAX_SHARED_BYTES ? bytes : bytes + length), 0),
  )
  let end = 0
  return list.map((bytes) => {
    if (bytes.length > MAX_SHARED_BYTES) return new Uint8Array(bytes)
    const start = end
    end += bytes.length
    shared.set(bytes, start)
    return shared.subarray(start, end)
  })
}

/** The same bytes in the same memory, without what Node's `Buffer` adds. */
export function plainBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
