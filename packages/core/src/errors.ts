import type { JSONValue } from '@ai-sdk/provider'

/** What went wrong, as a closed list. Each code says who has to act: see {@link KeepsakeError}. */
export type ErrorCode =
  | 'invalid_key'
  | 'invalid_value'
  | 'too_large'
  | 'not_provisioned'
  | 'unavailable'
  | 'conflict'
  | 'wrong_owner'
  | 'replay_diverged'
  | 'aborted'
  | 'run_failed'
  | 'unsupported'

export interface KeepsakeErrorOptions {
  /** Whether the same call may succeed when it is repeated unchanged. Default `false`. */
  retryable?: boolean
  /** Facts about the failure, as JSON. Never holds secrets or stored content. */
  details?: Readonly<Record<string, JSONValue>>
  cause?: unknown
}

/** The same symbol in every copy of this package, so that an error is recognised across duplicate installs. */
const marker = Symbol.for('keepsake.error')

/**
 * The one error class of Keepsake. `message` says what happened to what, and what to do next.
 *
 * | code | meaning |
 * |---|---|
 * | `invalid_key` | an entity, key, owner or id that cannot be stored |
 * | `invalid_value` | any other argument that cannot be used; nothing was written |
 * | `too_large` | over a limit; `details` has size and limit; nothing was written |
 * | `not_provisioned` | tables are missing or old: run `keepsake provision` |
 * | `unavailable` | the backend cannot be reached, is busy or is closed |
 * | `conflict` | somebody else's write won; read again and decide |
 * | `wrong_owner` | the thread belongs to another owner |
 * | `replay_diverged` | a durable run was replayed and asked something else than before |
 * | `aborted` | the caller's signal |
 * | `run_failed` | an agent's run ended in an error; `cause` has it |
 * | `unsupported` | this store or file system cannot do that, or a package is missing |
 */
export class KeepsakeError extends Error {
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly details: Readonly<Record<string, JSONValue>>

  constructor(code: ErrorCode, message: string, options: KeepsakeErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'KeepsakeError'
    this.code = code
    this.retryable = options.retryable ?? false
    this.details = options.details ?? {}
    Object.defineProperty(this, marker, { value: true })
  }

  /** Whether `error` is a KeepsakeError (of `code`, where given), even one made by another copy of this package. */
  static isInstance(error: unknown, code?: ErrorCode): error is KeepsakeError {
    if (typeof error !== 'object' || error === null || !(marker in error)) return false
    return code === undefined || (error as unknown as KeepsakeError).code === code
  }
}

/** Throws `aborted` if the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new KeepsakeError('aborted', 'The call was aborted by its signal.', { cause: signal.reason })
  }
}
