import { descending } from '../rows/keys.ts'
import type { CallOptions, RowStore } from '../rows/row-store.ts'
import { LIFE_PREFIXES } from './thread-keys.ts'

const SCAN_ROWS = 500

/** Removes what belongs to lives that ended up to version `ended`; a later one may have begun. */
export async function removeLives(store: RowStore, entity: string, ended: number, options: CallOptions): Promise<void> {
  for (const prefix of LIFE_PREFIXES) {
    // Before the keys of all lives up to `ended`, and after those of later ones.
    for (let after = prefix + descending(ended); ;) {
      const rows = await store.scan(entity, { prefix, after, limit: SCAN_ROWS }, options)
      if (rows.length > 0) await store.remove(rows, options)
      if (rows.length < SCAN_ROWS) break
      after = rows.at(-1)!.key
    }
  }
}
