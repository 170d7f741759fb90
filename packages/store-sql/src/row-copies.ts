import type { Range, RowId, RowWrite } from '@keepsake/core'

// A call that has to wait works on copies, as its caller may change the arguments meanwhile.

export function copyIds(ids: readonly (RowId & { seq?: number })[]): (RowId & { seq?: number })[] {
  return ids.map(({ entity, key, seq }) => ({ entity, key, ...(seq !== undefined && { seq }) }))
}

export function copyWrites(writes: readonly RowWrite[]): RowWrite[] {
  return writes.map(({ entity, key, seq, rec, updatedAtMs, expiresAtMs, guard = 'monotonic' }) => ({
    entity,
    key,
    seq,
    rec: Uint8Array.from(rec),
    updatedAtMs,
    expiresAtMs,
    guard: typeof guard === 'string' ? guard : { seq: guard.seq },
  }))
}

export function copyRange({ limit, prefix = '', after }: Range): Range {
  return { limit, prefix, ...(after !== undefined && { after }) }
}
