import type { RowStore } from '@keepsake/core'
import { ruledStore, type Rules } from './ruled-store.ts'

/** A store with one fault, and the case of `rowStoreCases` that must find it. */
export interface BrokenStore {
  /** What it does wrong. */
  readonly name: string
  /** The name of a case that rejects on it. */
  readonly caughtBy: string
  readonly open: () => Promise<RowStore>
}

/** A store in memory that breaks one of its rules. */
export function breaksRule(name: string, caughtBy: string, rules: Partial<Rules>): BrokenStore {
  return { name, caughtBy, open: async () => ruledStore(rules) }
}

/** A store in memory some of whose methods are wrong. `change` gets the right one and gives what replaces it. */
export function breaksMethod(
  name: string,
  caughtBy: string,
  change: (store: RowStore) => Partial<RowStore>,
  rules: Partial<Rules> = {},
): BrokenStore {
  return {
    name,
    caughtBy,
    async open() {
      const store = ruledStore(rules)
      return { ...store, ...change(store) }
    },
  }
}
