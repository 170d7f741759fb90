import type { RowStore } from '@keepsake/core'
import type { Output } from './output.ts'

/** What every command gets. */
export interface Context {
  /** The address of the store, as it was given. May hold a password: show `describeStore(storeUri)` instead. */
  readonly storeUri: string
  readonly out: Output
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal
  /** Opens the store for looking: nothing is created, and its reads end when `signal` fires. */
  readonly openStore: () => Promise<RowStore>
}
