import type { RowId, RowWrite } from '@keepsake/core'

/** When the rows of the cases say that they were written, unless a case is about that. */
export const UPDATED_AT_MS = 1_700_000_000_000

/** A write of `text` as UTF-8. */
export function put(entity: string, key: string, seq: number, text: string, more: Partial<RowWrite> = {}): RowWrite {
  return { entity, key, seq, rec: new TextEncoder().encode(text), updatedAtMs: UPDATED_AT_MS, ...more }
}

/** Rows of one entity at seq 1, whose texts are their keys. */
export function putKeys(entity: string, keys: readonly string[]): RowWrite[] {
  return keys.map((key) => put(entity, key, 1, key))
}

export function keysOf(rows: readonly RowId[]): string[] {
  return rows.map((row) => row.key)
}

/** `count` keys of equal length: `k0000`, `k0001`, … */
export function numberedKeys(count: number, prefix = 'k'): string[] {
  return Array.from({ length: count }, (_, i) => prefix + String(i).padStart(4, '0'))
}

/** A text as it stands in the name of a case: everything but printable ASCII is escaped. */
export function shown(text: string): string {
  return JSON.stringify(text).replace(
    /[^ -~]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16).toUpperCase()}}`,
  )
}
