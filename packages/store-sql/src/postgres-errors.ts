import { KeepsakeError, type ErrorCode } from '@keepsake/core'
import { codeOf, isLost, isRefused } from './network-errors.ts'
import type { ServerErrors } from './server.ts'

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const PASSING = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '53300', // too_many_connections
  // A statement that the server has forgotten, or has from somebody else: DISCARD ALL, or a pooler in between.
  '26000',
  '42P05',
])
/** `pg` has no codes for these. */
const PASSING_MESSAGE =
  /^(Connection terminated|timeout expired$|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/
/** Nobody answered in time. */
const UNANSWERED = /^(timeout expired$|Connection terminated due to connection timeout)/
const WRONG_LOGIN = new Set(['28000', '28P01'])
/** What `pg` says itself, without a code, where the server wants a password and the address has none. */
const NO_PASSWORD = /client password must be a/
const MISSING = new Set(['42P01', '42703', '3F000'])
const NO_STATEMENTS = new Set(['26000', '42P05'])

export function postgresErrors(where: string): ServerErrors {
  return {
    isPassing,
    isUnreachable: (error) => isRefused(error) || (error instanceof Error && UNANSWERED.test(error.message)),
    toKeepsakeError: (error) => toKeepsakeError(error, where),
  }
}

/** Whether a connection is as good as before, after this error of a statement outside a transaction. */
export function leavesSound(error: unknown): boolean {
  if (KeepsakeError.isInstance(error)) return true
  if (!(error instanceof Error) || !('severity' in error)) return false
  // FATAL and PANIC end the session; a server that has become a standby is no use any more.
  return error.severity === 'ERROR' && !NO_STATEMENTS.has(codeOf(error)) && codeOf(error) !== '25006'
}

function isPassing(error: unknown): boolean {
  if (isRefused(error) || isLost(error)) return true
  const code = codeOf(error)
  if (code !== '') return PASSING.has(code) || code.startsWith('08')
  return error instanceof Error && PASSING_MESSAGE.test(error.message)
}

function toKeepsakeError(error: unknown, where: string): unknown {
  if (!(error instanceof Error) || KeepsakeError.isInstance(error)) return error
  const code = codeOf(error)
  const [meaning, text] = meaningOf(error, code)
  return new KeepsakeError(meaning, `${where} ${text}`, {
    cause: error,
    retryable: isPassing(error),
    details: code === '' ? {} : { code },
  })
}

function meaningOf(error: Error, code: string): [ErrorCode, string] {
  if (WRONG_LOGIN.has(code) || NO_PASSWORD.test(error.message))
    return ['unavailable', 'refused the user or the password; check the address of the store.']
  if (code === '3D000')
    return ['unavailable', 'does not exist on this server; create it, or check the address of the store.']
  if (MISSING.has(code)) {
    return [
      'not_provisioned',
      'lacks a table or column of the store. Run `keepsake provision`, or call provision() on the store.',
    ]
  }
  if (code === '42501') return ['unavailable', 'does not allow this user to do that; grant it what is needed.']
  if (code === '25006') return ['unsupported', READ_ONLY]
  if (NO_STATEMENTS.has(code)) {
    return [
      'unsupported',
      'is behind a pooler that does not keep prepared statements. Use PgBouncer 1.21 or newer with max_prepared_statements, or pooling by session.',
    ]
  }
  if (error.message.startsWith('Cannot use a pool after calling end'))
    return ['unavailable', 'was closed by the application.']
  if (code === '57014') return ['unavailable', 'cancelled the statement; a statement_timeout may be too short.']
  if (code === '53100') return ['unavailable', 'has no room left on its disk; nothing was written.']
  if (isRefused(error) || UNANSWERED.test(error.message))
    return ['unavailable', 'cannot be reached; check that the server runs and the address of the store.']
  if (code === '40P01' || code === '40001' || code === '55P03') {
    return ['unavailable', 'found the rows locked by others again and again. Try again, or spread the writes.']
  }
  if (isPassing(error)) return ['unavailable', 'lost the connection, again and again. Check the server and try again.']
  // The text of other errors may hold what was stored.
  return ['unavailable', `answered with an error${code === '' ? '' : ` (SQLSTATE ${code})`}; the cause has it.`]
}

/** Follows the name of the database. */
export const READ_ONLY =
  'is read-only: a replica, or a session with default_transaction_read_only. Use the address of the primary server.'
