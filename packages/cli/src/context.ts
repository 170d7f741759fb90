import type { RowStore } from '@keepsake/core'
import type { Output } from './output.ts'

export interface OpenOptions {
  /** Another address than the command's own, for a command that takes two. */
  uri?: string
  /** Whether a file that does not exist is made. Default `false`: it is an error. */
  create?: boolean
}

/** What every command gets. */
export interface Context {
  /** The address of the store, as it was given. May hold a password: show `describeStore(storeUri)` instead. */
  readonly storeUri: string
  readonly out: Output
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal
  /** Opens the store. Unless asked to, creates nothing by it. Reads end when `signal` fires. */
  readonly openStore: (options?: OpenOptions) => Promise<RowStore>
}
