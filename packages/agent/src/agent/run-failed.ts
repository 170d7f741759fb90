import type { JSONValue } from '@ai-sdk/provider'
import { KeepsakeError } from '@keepsake/core'

interface RunFailedOptions {
  details?: Readonly<Record<string, JSONValue>>
  /** What became of the run's messages. */
  stored?: string
}

/** A run that failed: `cause` has the error, `details` what was known. The message holds no content. */
export function runFailed(what: string, cause: unknown, options: RunFailedOptions = {}): KeepsakeError {
  const { details = {}, stored = 'Nothing was stored.' } = options
  return new KeepsakeError('run_failed', `${what}: see \`cause\`. ${stored}`, {
    cause,
    details,
    retryable: mayBeRetried(cause),
  })
}

/** Runs a part of a run that others wrote. Their KeepsakeErrors pass; anything else becomes `run_failed`. */
export async function during<T>(what: string, work: () => T | PromiseLike<T>, options?: RunFailedOptions): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (KeepsakeError.isInstance(error)) throw error
    throw runFailed(`${what} failed`, error, options)
  }
}

/** The AI SDK's errors say it themselves, as ours do. */
function mayBeRetried(cause: unknown): boolean {
  if (KeepsakeError.isInstance(cause)) return cause.retryable
  return typeof cause === 'object' && cause !== null && 'isRetryable' in cause && cause.isRetryable === true
}
