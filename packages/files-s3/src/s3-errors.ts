import { KeepsakeError } from '@keepsake/core'

/** The HTTP status that an error came with; 0 if there was no answer. */
export function statusOf(error: unknown): number {
  const metadata = (error as { $metadata?: { httpStatusCode?: unknown } } | null)?.$metadata
  return typeof metadata?.httpStatusCode === 'number' ? metadata.httpStatusCode : 0
}

/** What went wrong, as an error of ours. `what` begins the message; keys and content are in none. */
export function explain(error: unknown, what: string, bucket: string): KeepsakeError {
  const name = error instanceof Error ? error.name : 'an unknown error'
  const status = statusOf(error)
  const details = { bucket, error: name, ...(status > 0 && { status }) }
  if (name === 'NoSuchBucket') {
    return new KeepsakeError(
      'not_provisioned',
      `The bucket ${bucket} does not exist. Create it, or name another one.`,
      {
        details,
        cause: error,
      },
    )
  }
  // No answer, too many requests, or an error of the server's own.
  const retryable = status === 0 || status === 408 || status === 429 || status >= 500
  const next = retryable ? 'See the cause, and try again when it is gone.' : 'See the cause.'
  const shown = status > 0 ? `${name}, status ${status}` : name
  return new KeepsakeError('unavailable', `${what} in the bucket ${bucket} failed (${shown}). ${next}`, {
    retryable,
    details,
    cause: error,
  })
}
