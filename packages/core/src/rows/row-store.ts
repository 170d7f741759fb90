/** What every call that waits takes last. */
export interface CallOptions {
  /** Aborting rejects with a KeepsakeError `aborted`. A write that was already sent may still take effect. */
  signal?: AbortSignal | undefined
}

/** A record as the backend keeps it: opaque, the same bytes in every backend. */
export type Bytes = Uint8Array

/** Whose memory (`entity`), and which one (`key`): well-formed Unicode without U+0000, at most 512 and 1,024 bytes of UTF-8, empty included, stored exactly. */
export interface RowId {
  entity: string
  key: string
}

/** Everything that Keepsake keeps is a row. */
export interface Row extends RowId {
  /** Version of the row: an integer from 0 to {@link MAX_SEQ}. */
  seq: number
  /** An empty `rec` is a tombstone: it means "removed" and keeps the guard. */
  rec: Bytes
  /** Unix milliseconds, as the writer says; stores do not change it. */
  updatedAtMs: number
  /**
   * Unix milliseconds from which the row may vanish; left out: never. Stores do not hide expired rows: that is done by
   * the models, with their clock. Guards see a stored row whether it has expired or not.
   */
  expiresAtMs?: number | undefined
}

/**
 * When a write applies. Decided by the backend's own atomic primitive, never by a read followed by a write.
 *
 * | guard | applies if |
 * |---|---|
 * | `'monotonic'` (default) | nothing is stored, or stored seq <= incoming seq |
 * | `'absent'` | nothing is stored, or the stored row is this very write |
 * | `{ seq: n }` | stored seq = n, or the stored row is this very write; the incoming seq must be > n |
 *
 * *This very write* means equal `seq` and equal `rec`. So a repeat after a lost answer is `applied`, and whoever uses a
 * condition to exclude others puts a fresh id into `rec`.
 */
export type Guard = 'monotonic' | 'absent' | { readonly seq: number }

export interface RowWrite extends Row {
  guard?: Guard
}

/**
 * `stale` means that this write is not the current row, never that it was not done. Its `seq` is the stored row's, or
 * `-1` where `{ seq: n }` found nothing stored. `rec` is what readers will see instead of the given record, from a store
 * that changes records: what is derived of a row, such as an index, is derived of that.
 */
export type WriteResult = { status: 'applied'; rec?: Bytes } | { status: 'stale'; seq: number }

/** Part of an ordered list of strings. Order is by UTF-8 bytes, everywhere. */
export interface Range {
  /** Only strings that begin with this one, exactly: no character has a wildcard meaning. */
  prefix?: string
  /** Only strings after this one. It need not exist, nor begin with `prefix`. */
  after?: string
  /** At most so many, a whole number from 1; fewer only where there are no more. */
  limit: number
}

/** What a store can take in one call. */
export interface StoreLimits {
  /** The largest `rec`, in bytes. */
  maxRecBytes: number
  /** Rows that the store sends in one request; longer calls are cut by the store itself. */
  maxBatchRows: number
  /** Whether a `write` of rows of one entity (at most `maxBatchRows`) lands whole or not at all. */
  atomicBatch: boolean
}

/**
 * The narrow waist of Keepsake: all that a backend must do is keep rows. Implementations are proven by `testRowStore`
 * of `@keepsake/store-testing`; `docs/write-a-store.md` builds one.
 *
 * All methods check their arguments before any I/O (`invalid_key`, `invalid_value`, `too_large`), reject with `unavailable`
 * after `close()` and with `aborted` for a signal that fires, copy bytes in and out, and never change their arguments.
 * `defineStore` does what of this is the same for all.
 */
export interface RowStore extends AsyncDisposable {
  /** Short name for messages and reports, such as `sqlite`. */
  readonly name: string
  readonly limits: StoreLimits
  /** The rows of `ids`, in their order, `undefined` where nothing is stored. Tombstones and expired rows are rows. */
  load(ids: readonly RowId[], options?: CallOptions): Promise<(Row | undefined)[]>
  /** Rows of one entity, ordered by key. Sees every write that has returned. */
  scan(entity: string, range: Range, options?: CallOptions): Promise<Row[]>
  /** Entities that have rows, in order. */
  entities(range: Range, options?: CallOptions): Promise<string[]>
  /**
   * Writes rows, each decided by itself and in order (rows of one key as if written one after the other), and says of
   * each what became of it. Not a transaction. If it throws, any subset may be applied: repeat the whole call.
   */
  write(rows: readonly RowWrite[], options?: CallOptions): Promise<WriteResult[]>
  /**
   * Removes rows for good, tombstones too; where `seq` is given only if that is still the stored one. For keys that are
   * never written again. Returns how many rows went.
   */
  remove(ids: readonly (RowId & { seq?: number })[], options?: CallOptions): Promise<number>
  /** Removes all rows of an entity, whatever their number, and returns it. */
  removeEntity(entity: string, options?: CallOptions): Promise<number>
  /** Creates or migrates what the backend needs. Repeatable and safe in a race. `down` removes it, with all rows. */
  provision(options?: CallOptions & { down?: boolean; to?: number }): Promise<void>
  /** Rejects with `not_provisioned` or `unsupported`, and what to do, if the backend is not ready for use. */
  verify(options?: CallOptions): Promise<void>
  /** Waits for what is under way. Calling it twice is fine. Never closes a client that was passed in. */
  close(): Promise<void>
}

/** The largest `seq` that is accepted: 2^53 - 1 - 2^40, so that there is always room for "stored + 1". */
export const MAX_SEQ: number = 2 ** 53 - 1 - 2 ** 40
/** The largest entity, in bytes of UTF-8. */
export const MAX_ENTITY_BYTES = 512
/** The largest key, in bytes of UTF-8. */
export const MAX_KEY_BYTES = 1024
/** The largest record that every store takes, in bytes. */
export const MAX_REC_BYTES: number = 4 * 1024 * 1024
