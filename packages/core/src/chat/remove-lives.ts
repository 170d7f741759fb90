import { descending } from '../rows/keys.ts'
import type { CallOptions, RowStore } from '../rows/row-store.ts'
import { isRevoked } from './append-row.ts'
import { HEAD_KEY, LIFE_PREFIXES } from './thread-keys.ts'

const SCAN_ROWS = 500

export interface RemoveLivesOptions extends CallOptions {
  /**
   * Keeps the marks that revoke the place of an append: needed as long as nobody has cleared the thread, because an append
   * whose mark is gone lands in a life that has ended, and is told to be stored. They go by themselves. Default: `false`.
   */
  keepMarks?: boolean
}

/** Removes what belongs to lives that ended up to version `ended`; a later one may have begun. */
export async function removeLives(
  store: RowStore,
  entity: string,
  ended: number,
  { keepMarks = false, ...options }: RemoveLivesOptions,
): Promise<void> {
  for (const prefix of LIFE_PREFIXES) {
    // Before the keys of all lives up to `ended`, and after those of later ones.
    for (let after = prefix + descending(ended); ;) {
      const rows = await store.scan(entity, { prefix, after, limit: SCAN_ROWS }, options)
      const unneeded = keepMarks && prefix === HEAD_KEY ? rows.filter((row) => !isRevoked(row)) : rows
      if (unneeded.length > 0) await store.remove(unneeded, options)
      if (rows.length < SCAN_ROWS) break
      after = rows.at(-1)!.key
    }
  }
}
