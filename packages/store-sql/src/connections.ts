/** Where a store's connections come from. */
export interface Connections<C> {
  /** Whether a connection that failed is replaced, so that a call may be tried again on another. */
  readonly replaced: boolean
  acquire(): Promise<Lease<C>>
  /** Ends what the store has opened. */
  close(): Promise<void>
}

/** A connection, for one call. */
export interface Lease<C> {
  readonly connection: C
  /** Gives it back. After an error it is only used again if the error cannot have left anything behind. */
  release(error?: unknown): void
  /** Ends it, whatever is under way on it. */
  destroy(): void
}
