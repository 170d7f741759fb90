import { KeepsakeError, type ErrorCode } from '@keepsake/core'
import { codeOf, isLost, isRefused } from './network-errors.ts'
import type { ServerErrors } from './server.ts'

// https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html, https://mariadb.com/kb/en/mariadb-error-codes/
const LOCKED = new Set([
  1213, // a deadlock
  1205, // waited too long
  1020, // changed since it was read
])
const PASSING = new Set([
  ...LOCKED,
  1040, // too many connections
  1203, // too many connections of this user
  1047, // a Galera node that is not ready
  1053, // the server shuts down
  1077,
  1079,
  1158, // errors of the network
  1159,
  1160,
  1161,
  1184,
  1243, // a prepared statement that the server has forgotten
  1317, // interrupted by KILL
  1412, // the table was changed meanwhile
  1615,
  1927, // killed
  2006, // gone away
  2013, // lost
  3101, // rolled back by group replication
  4031, // idle for too long
])
/** `mysql2` has no codes for these. */
const PASSING_MESSAGE = /^(No connections available|Queue limit reached|Can't add new command when connection is)/
const READ_ONLY = new Set([1290, 1792, 1836])
const NO_ROOM = new Set([1021, 1114])

export function mysqlErrors(where: string): ServerErrors {
  return {
    isPassing,
    isUnreachable: (error) => isRefused(error),
    toKeepsakeError: (error) => toKeepsakeError(error, where),
  }
}

/** Whether a connection is as good as before, after this error of a statement outside a transaction. */
export function leavesSound(error: unknown): boolean {
  if (KeepsakeError.isInstance(error)) return true
  const errno = errnoOf(error)
  if (errno === undefined || isFatal(error) || READ_ONLY.has(errno)) return false
  return LOCKED.has(errno) || !PASSING.has(errno)
}

function isPassing(error: unknown): boolean {
  const errno = errnoOf(error)
  if (errno !== undefined) return PASSING.has(errno)
  if (isRefused(error) || isLost(error) || codeOf(error) === 'PROTOCOL_CONNECTION_LOST') return true
  return isFatal(error) || (error instanceof Error && PASSING_MESSAGE.test(error.message))
}

function toKeepsakeError(error: unknown, where: string): unknown {
  if (!(error instanceof Error) || KeepsakeError.isInstance(error)) return error
  const code = codeOf(error)
  const [meaning, text] = meaningOf(error)
  return new KeepsakeError(meaning, `${where} ${text}`, {
    cause: error,
    retryable: isPassing(error),
    details: code === '' ? {} : { code },
  })
}

function meaningOf(error: Error): [ErrorCode, string] {
  const errno = errnoOf(error) ?? 0
  switch (errno) {
    case 1044:
    case 1045:
    case 1698:
      return ['unavailable', 'refused the user or the password; check the address of the store.']
    case 1049:
      return ['unavailable', 'does not exist on this server; create it, or check the address of the store.']
    case 1142:
    case 1227:
      return ['unavailable', 'does not allow this user to do that; grant it what is needed.']
    case 1054:
    case 1146:
      return [
        'not_provisioned',
        'lacks a table or column of the store. Run `keepsake provision`, or call provision() on the store.',
      ]
    case 1153:
      return ['too_large', 'takes no packets of that size; raise max_allowed_packet.']
    case 1461:
      return ['unavailable', 'has no room for more prepared statements; raise max_prepared_stmt_count.']
    default:
  }
  if (LOCKED.has(errno)) {
    return ['unavailable', 'found the rows locked by others again and again. Try again, or spread the writes.']
  }
  if (READ_ONLY.has(errno)) return ['unsupported', IS_READ_ONLY]
  if (error.message === 'Pool is closed.') return ['unavailable', 'was closed by the application.']
  if (NO_ROOM.has(errno)) return ['unavailable', 'has no room left on its disk; nothing was written.']
  if (isRefused(error))
    return ['unavailable', 'cannot be reached; check that the server runs and the address of the store.']
  if (isPassing(error)) return ['unavailable', 'lost the connection, again and again. Check the server and try again.']
  // The text of other errors may hold what was stored.
  const code = codeOf(error)
  return ['unavailable', `answered with an error${code === '' ? '' : ` (${code})`}; the cause has it.`]
}

/** Follows the name of the database. */
export const IS_READ_ONLY = 'is read-only, as a replica is. Use the address of the primary server.'

/** The number that the server gave. Those of system calls are negative. */
function errnoOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errno' in error)) return undefined
  return typeof error.errno === 'number' && error.errno > 0 ? error.errno : undefined
}

function isFatal(error: unknown): boolean {
  return error instanceof Error && 'fatal' in error && error.fatal === true
}
