import type { JSONValue } from '@ai-sdk/provider'
import { KeepsakeError } from '@keepsake/core'

/** A run that failed: `cause` has the error, `details` what was known. The message holds no content. */
export function runFailed(
  what: string,
  cause: unknown,
  details: Readonly<Record<string, JSONValue>> = {},
): KeepsakeError {
  return new KeepsakeError('run_failed', `${what}. Nothing was stored; \`cause\` has the error.`, {
    cause,
    details,
    retryable: mayBeRetried(cause),
  })
}

/** Runs a part of a run that others wrote. Their KeepsakeErrors pass; anything else becomes `run_failed`. */
export async function during<T>(what: string, work: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (KeepsakeError.isInstance(error)) throw error
    throw runFailed(`${what} failed`, error)
  }
}

/** The AI SDK's errors say it themselves, as ours do. */
function mayBeRetried(cause: unknown): boolean {
  if (KeepsakeError.isInstance(cause)) return cause.retryable
  return typeof cause === 'object' && cause !== null && 'isRetryable' in cause && cause.isRetryable === true
}
