import type { Guard, RowWrite } from '@keepsake/core'

/** A row of the entity `e`, or of another. */
export function put(key: string, seq: number, text: string, guard?: Guard, entity = 'e'): RowWrite {
  const rec = new TextEncoder().encode(text)
  return { entity, key, seq, rec, updatedAtMs: 1000, ...(guard !== undefined && { guard }) }
}

/** What rows hold, for comparisons that print well. */
export function texts(rows: readonly ({ rec: Uint8Array } | undefined)[]): (string | undefined)[] {
  return rows.map((row) => row && new TextDecoder().decode(row.rec))
}

export const applied = { status: 'applied' }
