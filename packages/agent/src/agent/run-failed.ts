import type { JSONValue } from '@ai-sdk/provider'
import { KeepsakeError } from '@keepsake/core'

interface RunFailedOptions {
  details?: Readonly<Record<string, JSONValue>>
  /** What became of the run's messages. */
  stored?: string
}

/** How much of a cause's own message is shown. */
const MAX_REASON_CHARS = 300

/** A run that failed, and why in the words of `cause`: what was wrong, such as a missing API key, must be seen at once. */
export function runFailed(what: string, cause: unknown, options: RunFailedOptions = {}): KeepsakeError {
  const { details = {}, stored = 'Nothing was stored.' } = options
  return new KeepsakeError('run_failed', `${what}: ${reasonOf(cause)}. ${stored}`, {
    cause,
    details,
    retryable: mayBeRetried(cause),
  })
}

/** The error with the run's id: repeated under it, a run is stored once, whatever became of it the first time. */
export function withRunId(error: KeepsakeError, runId: string): KeepsakeError {
  const { code, message, retryable, details, stack } = error
  const told = new KeepsakeError(code, message, {
    retryable,
    details: { ...details, runId },
    ...('cause' in error && { cause: error.cause }),
  })
  if (stack !== undefined) told.stack = stack
  return told
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

function reasonOf(cause: unknown): string {
  const message: unknown = cause instanceof Error ? cause.message : undefined
  if (typeof message !== 'string' || message === '') return 'see `cause`'
  const reason = message.trim().replace(/\.$/, '')
  return reason.length > MAX_REASON_CHARS ? `${reason.slice(0, MAX_REASON_CHARS).toWellFormed()}…` : reason
}

/** The AI SDK's errors say it themselves, as ours do. */
function mayBeRetried(cause: unknown): boolean {
  if (KeepsakeError.isInstance(cause)) return cause.retryable
  return typeof cause === 'object' && cause !== null && 'isRetryable' in cause && cause.isRetryable === true
}
