import type { RowWrite, WriteResult } from '@keepsake/core'

/** A row to write, where only what a test is about is said. */
export function row(fields: Partial<RowWrite> = {}): RowWrite {
  return { entity: 'ann', key: 'k', seq: 1, rec: bytes('first'), updatedAtMs: 1_700_000_000_000, ...fields }
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** So many times the verdict of a write that was applied. */
export function applied(times: number): WriteResult[] {
  return Array.from({ length: times }, () => ({ status: 'applied' as const }))
}
