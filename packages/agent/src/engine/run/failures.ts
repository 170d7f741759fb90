import { KeepsakeError, normalise, type ErrorCode, type Storable } from '@keepsake/core'
import type { JournaledFailure } from '../rows/journal.ts'

const MAX_MESSAGE_CHARS = 1_000

/** What of an error is kept: nothing else would come back. */
export function toFailure(error: unknown): JournaledFailure {
  const message = messageOf(error)
  if (KeepsakeError.isInstance(error)) {
    const { code, retryable } = error
    return { code, message, retryable, ...detailsOf(error.details) }
  }
  const isRetryable = typeof error === 'object' && error !== null && 'isRetryable' in error
  return { code: 'run_failed', message, retryable: isRetryable && error.isRetryable === true }
}

/** The error that a handler is shown, the same at once and after a crash; `cause` only where the call was made. */
export function fromFailure({ code, message, retryable, details }: JournaledFailure, cause?: unknown): KeepsakeError {
  return new KeepsakeError(code as ErrorCode, message, {
    retryable,
    ...(details !== undefined && { details: details as NonNullable<KeepsakeError['details']> }),
    ...(cause !== undefined && { cause }),
  })
}

export function messageOf(error: unknown): string {
  const message: unknown = error instanceof Error ? error.message : undefined
  if (typeof message !== 'string' || message === '') return 'Something was thrown that has no message.'
  const text = message.toWellFormed()
  return text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS).toWellFormed()}…` : text
}

function detailsOf(details: unknown): { details?: { [key: string]: Storable } } {
  try {
    const stored = normalise(details, 'details') as { [key: string]: Storable }
    return Object.keys(stored).length === 0 ? {} : { details: stored }
  } catch {
    return {}
  }
}
