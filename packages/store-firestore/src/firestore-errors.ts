import { KeepsakeError } from '@keepsake/core'

/** Codes of gRPC: https://grpc.io/docs/guides/status-codes/ */
const CANCELLED = 1
const DEADLINE_EXCEEDED = 4
export const NOT_FOUND = 5
const ALREADY_EXISTS = 6
const PERMISSION_DENIED = 7
const RESOURCE_EXHAUSTED = 8
const FAILED_PRECONDITION = 9
const ABORTED = 10
const INTERNAL = 13
const UNAVAILABLE = 14
const UNAUTHENTICATED = 16

const CONFLICTS = new Set([NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, ABORTED])
const PASSING = new Set([CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, INTERNAL, UNAVAILABLE])

/** Whether a commit was refused because a document is no longer what it was when it was read, or is being written. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error) ?? -1)
}

export function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  return typeof code === 'number' ? code : undefined
}

export function isMissingModule(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'ERR_MODULE_NOT_FOUND' && messageOf(error).includes('@google-cloud/firestore')
}

export function noAnswer(cause?: unknown): KeepsakeError {
  return new KeepsakeError(
    'unavailable',
    'Firestore could not be reached, or did not answer in time. Check the network, and FIRESTORE_EMULATOR_HOST if it is set, and try again.',
    { retryable: true, ...(cause !== undefined && { cause }) },
  )
}

/** What a failure of the client or the server means for the caller. Never repeats keys or values. */
export function toKeepsakeError(error: unknown): unknown {
  if (KeepsakeError.isInstance(error)) return error
  const code = codeOf(error)
  const message = messageOf(error)
  if (/client has already been terminated/i.test(message)) {
    return new KeepsakeError('unavailable', 'The Firestore client of this store was terminated; open a new one.', {
      cause: error,
    })
  }
  if (code === undefined) return error
  if (code === PERMISSION_DENIED || code === UNAUTHENTICATED || isAboutTokens(message)) {
    return new KeepsakeError(
      'unavailable',
      'Firestore refused the credentials: they are not valid, lack a role such as roles/datastore.user, or the Firestore API is not enabled in the project.',
      { cause: error },
    )
  }
  if (PASSING.has(code)) return noAnswer(error)
  if (code === NOT_FOUND) {
    return new KeepsakeError(
      'not_provisioned',
      'The Firestore database does not exist. Check project and database, or create it: gcloud firestore databases create --location=LOCATION',
      { cause: error },
    )
  }
  if (code === FAILED_PRECONDITION && /index/i.test(message)) {
    return new KeepsakeError(
      'not_provisioned',
      'Firestore lacks an index that it has by default: of the field key in keepsake_rows, or of the field entity in the collection. Clear the exemption.',
      { cause: error },
    )
  }
  if (code === FAILED_PRECONDITION) {
    return new KeepsakeError(
      'unsupported',
      'This database cannot be used by the Firestore API; one in Datastore mode cannot. Create one in Native mode.',
      { cause: error },
    )
  }
  if (code === ABORTED) {
    return new KeepsakeError('conflict', 'Others kept writing the same documents. Try again.', {
      retryable: true,
      cause: error,
    })
  }
  return new KeepsakeError('unavailable', 'Firestore answered with an error; the cause has it.', { cause: error })
}

/** The client gets tokens for its credentials as it goes; where it gets none, requests fail with codes of all kinds. */
function isAboutTokens(message: string): boolean {
  return /invalid_grant|refresh access token/i.test(message)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}
