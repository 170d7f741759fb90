import type { RowWrite } from '@keepsake/core'

/** A row to write, where only what a test is about is said. */
export function row(fields: Partial<RowWrite> = {}): RowWrite {
  return { entity: 'ann', key: 'k', seq: 1, rec: bytes('first'), updatedAtMs: 1_700_000_000_000, ...fields }
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
