import { KeepsakeError, type ErrorCode } from '@keepsake/core'

// Primary result codes: https://sqlite.org/rescode.html
const BUSY = 5
const LOCKED = 6
const READONLY = 8
const FULL = 13
const CANTOPEN = 14
const NOTADB = 26

/** Whether another connection holds the lock that was wanted. */
export function isBusy(error: unknown): boolean {
  const code = isSqliteError(error) ? primaryCode(error) : undefined
  return code === BUSY || code === LOCKED
}

/**
 * What an error of node:sqlite means to the caller. `where` names the database in the message. What is no error of SQLite
 * is returned as it is.
 */
export function toKeepsakeError(error: unknown, where: string): unknown {
  if (isClosedError(error)) {
    return new KeepsakeError('unavailable', `${where} was closed by the application.`, { cause: error })
  }
  if (!isSqliteError(error)) return error
  const [code, text] = meaning(error)
  return new KeepsakeError(code, `${where} ${text}`, {
    cause: error,
    retryable: isBusy(error),
    details: { sqliteCode: error.errcode },
  })
}

function meaning(error: SqliteError): [ErrorCode, string] {
  switch (primaryCode(error)) {
    case BUSY:
    case LOCKED:
      return [
        'unavailable',
        'is locked by another connection, for longer than the busy timeout. Try again, or end the transaction that holds the lock.',
      ]
    case NOTADB:
      return ['invalid_value', 'is not a SQLite database; choose another path.']
    case CANTOPEN:
      return ['unavailable', 'cannot be opened; check the permissions of the file and its folder.']
    case READONLY:
      return ['unavailable', 'cannot be written; check the permissions of the file and its folder.']
    case FULL:
      return ['unavailable', 'has no room left on its disk; nothing was written.']
    default:
      // SQLite has no code of its own for a table that is missing.
      return /^no such (table|column)/.test(error.message)
        ? ['not_provisioned', `lacks what the store needs (${error.message}). Call provision() on the store.`]
        : ['unavailable', `failed in SQLite: ${error.message}.`]
  }
}

interface SqliteError extends Error {
  /** Extended result code: the primary one is its lowest byte. */
  errcode: number
}

function primaryCode(error: SqliteError): number {
  return error.errcode & 0xff
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'
}

/** node:sqlite says so of a database, or of a statement of one, that was closed. */
function isClosedError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE'
}
