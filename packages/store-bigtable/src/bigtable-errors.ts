import { KeepsakeError } from '@keepsake/core'

/** Codes of gRPC: https://grpc.io/docs/guides/status-codes/ */
const CANCELLED = 1
const DEADLINE_EXCEEDED = 4
export const NOT_FOUND = 5
export const ALREADY_EXISTS = 6
const PERMISSION_DENIED = 7
const RESOURCE_EXHAUSTED = 8
const ABORTED = 10
const INTERNAL = 13
export const UNAVAILABLE = 14
const UNAUTHENTICATED = 16

const PASSING = new Set([CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, UNAVAILABLE])

/** Whether the request may be sent again: it did not get through, or its answer was lost. Writes recognise themselves. */
export function isPassing(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined || isClosed(error)) return false
  // A message that is over a limit stays over it, whatever is sent again.
  if (code === RESOURCE_EXHAUSTED) return !/larger than max/i.test(messageOf(error))
  // The server closed the stream, as it does when it moves or restarts.
  if (code === INTERNAL) return /rst.?stream/i.test(messageOf(error))
  return PASSING.has(code)
}

export function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  return typeof code === 'number' ? code : undefined
}

export function isMissingModule(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'ERR_MODULE_NOT_FOUND' && messageOf(error).includes('@google-cloud/bigtable')
}

/** What a failure of the client or the server means for the caller. Never repeats keys or values. */
export function toKeepsakeError(error: unknown): unknown {
  const code = codeOf(error)
  if (KeepsakeError.isInstance(error) || code === undefined) return error
  const message = messageOf(error)
  if (isClosed(error)) {
    return new KeepsakeError('unavailable', 'The Bigtable client of this table was closed; open a new one.', {
      cause: error,
    })
  }
  if (isPassing(error)) {
    return new KeepsakeError(
      'unavailable',
      'Bigtable could not be reached, or did not answer in time. Check the network, and BIGTABLE_EMULATOR_HOST if it is set, and try again.',
      { retryable: true, cause: error },
    )
  }
  if (code === UNAUTHENTICATED || code === PERMISSION_DENIED) {
    return new KeepsakeError(
      'unavailable',
      'Bigtable refused the credentials: they are not valid, or lack a role such as roles/bigtable.user. `keepsake provision` needs roles/bigtable.admin.',
      { cause: error },
    )
  }
  // FAILED_PRECONDITION "Single-row transactions are not allowed by this app profile", or a profile that is not found.
  if (/app ?profile/i.test(message)) {
    return new KeepsakeError(
      'unsupported',
      'The app profile does not exist, or does not allow what guards need. Use one with single-cluster routing and single-row transactions.',
      { cause: error },
    )
  }
  if (code === NOT_FOUND || /famil/i.test(message)) {
    return new KeepsakeError(
      'not_provisioned',
      'The Bigtable table, its family m or its instance does not exist. Check the names; `keepsake provision` creates table and family in an instance that is there.',
      { cause: error },
    )
  }
  return new KeepsakeError('unavailable', 'Bigtable answered with an error; the cause has it.', { cause: error })
}

/** The client refuses everything after it was closed, with the code of requests that may be sent again. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && error.name === 'Closed'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}
