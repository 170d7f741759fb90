/** The methods of a store that faults can meet. `provision`, `verify` and `close` are left alone. */
export type StoreMethod = 'load' | 'scan' | 'entities' | 'write' | 'remove' | 'removeEntity'

/** One call of a faulty store. */
export interface StoreCall {
  readonly method: StoreMethod
  /** Which call of this method it is, from 0. */
  readonly index: number
  /** Which call of any of these methods it is, from 0. */
  readonly total: number
}

/** What a rule waits for: a promise, or a function that makes one when its turn comes. */
export type Until = PromiseLike<unknown> | (() => PromiseLike<unknown>)

/**
 * What goes wrong. Where `error` is left out, the call rejects with a KeepsakeError `unavailable` that is `retryable`.
 *
 * | kind | what happens |
 * |---|---|
 * | `fail` | rejects, and the store was not reached |
 * | `lose-answer` | takes effect, then rejects: the caller cannot know |
 * | `partial` | of a `write` the first `rows` take effect, then it rejects; any other method fails |
 * | `delay` | waits for `until`, then goes on as usual |
 * | `duplicate` | succeeds; a `write` is sent once more when `until` resolves, or at once: the late duplicate of a network |
 */
export type Fault =
  | { readonly kind: 'fail'; readonly error?: unknown }
  | { readonly kind: 'lose-answer'; readonly error?: unknown }
  | { readonly kind: 'partial'; readonly rows: number; readonly error?: unknown }
  | { readonly kind: 'delay'; readonly until: Until }
  | { readonly kind: 'duplicate'; readonly until?: Until }

/** A fault for one call of one method, counted from 0. */
export interface FaultRule {
  readonly method: StoreMethod
  readonly index: number
  readonly fault: Fault
}

/** A script, or a function that is asked at every call. */
export type FaultPlan = readonly FaultRule[] | ((call: StoreCall) => Fault | undefined)
