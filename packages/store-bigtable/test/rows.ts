import type { Guard, RowWrite } from '@keepsake/core'

/** A row of entity `e` whose record is a text. */
export function put(key: string, seq: number, text: string, guard?: Guard): RowWrite {
  return {
    entity: 'e',
    key,
    seq,
    rec: new TextEncoder().encode(text),
    updatedAtMs: 1000,
    ...(guard !== undefined && { guard }),
  }
}
