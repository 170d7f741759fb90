import { KeepsakeError } from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import { leavesSound as leavesMysqlSound, mysqlErrors } from '../src/mysql-errors.ts'
import { leavesSound as leavesPostgresSound, postgresErrors } from '../src/postgres-errors.ts'

const SECRET = 'hunter2'
const postgres = postgresErrors('The database')
const mysql = mysqlErrors('The database')

/** As `pg` makes them; what the server says may hold what was stored. */
function sqlState(code: string, severity = 'ERROR'): Error {
  return Object.assign(new Error(`something about ${SECRET}`), { code, severity })
}

/** As `mysql2` makes them. */
function errno(number: number, code = `ER_${number}`, fatal = false): Error {
  return Object.assign(new Error(`something about ${SECRET}`), { errno: number, code, fatal })
}

function system(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code, errno: -111, syscall: 'connect' })
}

describe('PostgreSQL', () => {
  test.each<[string, Error, string, string, boolean, boolean]>([
    ['a deadlock', sqlState('40P01'), 'unavailable', 'locked by others', true, true],
    ['a serialisation failure', sqlState('40001'), 'unavailable', 'locked by others', true, true],
    ['an administrator', sqlState('57P01', 'FATAL'), 'unavailable', 'lost the connection', true, false],
    ['a server that starts', sqlState('57P03', 'FATAL'), 'unavailable', 'lost the connection', true, false],
    ['too many connections', sqlState('53300', 'FATAL'), 'unavailable', 'lost the connection', true, false],
    ['a broken connection', sqlState('08006', 'FATAL'), 'unavailable', 'lost the connection', true, false],
    ['a connection that ended', new Error('Connection terminated unexpectedly'), 'unavailable', 'lost', true, false],
    ['nobody there', system('ECONNREFUSED'), 'unavailable', 'cannot be reached', true, false],
    ['a reset', system('ECONNRESET'), 'unavailable', 'lost the connection', true, false],
    ['a wrong password', sqlState('28P01', 'FATAL'), 'unavailable', 'refused the user', false, false],
    [
      'no password where one is wanted',
      new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
      'unavailable',
      'refused the user',
      false,
      false,
    ],
    ['a wrong user', sqlState('28000', 'FATAL'), 'unavailable', 'refused the user', false, false],
    ['a missing database', sqlState('3D000', 'FATAL'), 'unavailable', 'does not exist on this server', false, false],
    ['a missing table', sqlState('42P01'), 'not_provisioned', 'keepsake provision', false, true],
    ['a missing column', sqlState('42703'), 'not_provisioned', 'keepsake provision', false, true],
    ['a missing privilege', sqlState('42501'), 'unavailable', 'grant', false, true],
    ['a replica', sqlState('25006'), 'unsupported', 'read-only', false, false],
    ['a pooler without statements', sqlState('26000'), 'unsupported', 'PgBouncer', true, false],
    ['a pooler with others', sqlState('42P05'), 'unsupported', 'PgBouncer', true, false],
    ['a timeout of the server', sqlState('57014'), 'unavailable', 'statement_timeout', false, true],
    ['a full disk', sqlState('53100'), 'unavailable', 'no room left', false, true],
    ['what nobody knows', sqlState('22012'), 'unavailable', 'an error (SQLSTATE 22012)', false, true],
    ['a mistake', new TypeError('x is not a function'), 'unavailable', 'an error; the cause has it', false, false],
  ])('%s', (_, error, code, text, retryable, sound) => {
    const told = postgres.toKeepsakeError(error)
    if (!KeepsakeError.isInstance(told)) throw error
    expect([told.code, told.message, told.retryable]).toEqual([code, expect.stringContaining(text), retryable])
    expect(told.message).not.toContain(SECRET)
    expect(told.cause).toBe(error)
    expect(postgres.isPassing(error)).toBe(retryable)
    expect(leavesPostgresSound(error)).toBe(sound)
  })
})

describe('MySQL and MariaDB', () => {
  test.each<[string, Error, string, string, boolean, boolean]>([
    ['a deadlock', errno(1213), 'unavailable', 'locked by others', true, true],
    ['a lock that was not had', errno(1205), 'unavailable', 'locked by others', true, true],
    ['a snapshot that is too old', errno(1020), 'unavailable', 'locked by others', true, true],
    ['KILL', errno(1927), 'unavailable', 'lost the connection', true, false],
    ['KILL QUERY', errno(1317), 'unavailable', 'lost the connection', true, false],
    ['too many connections', errno(1040, 'ER_CON_COUNT_ERROR', true), 'unavailable', 'lost', true, false],
    [
      'a lost connection',
      Object.assign(new Error('lost'), { code: 'PROTOCOL_CONNECTION_LOST', fatal: true }),
      'unavailable',
      'lost the connection',
      true,
      false,
    ],
    [
      'a closed one',
      Object.assign(new Error("Can't add new command when connection is in closed state"), { fatal: true }),
      'unavailable',
      'lost the connection',
      true,
      false,
    ],
    ['nobody there', system('ECONNREFUSED'), 'unavailable', 'cannot be reached', true, false],
    ['a reset', system('ECONNRESET'), 'unavailable', 'lost the connection', true, false],
    ['a wrong password', errno(1045, 'ER_ACCESS_DENIED_ERROR', true), 'unavailable', 'refused', false, false],
    ['a missing database', errno(1049, 'ER_BAD_DB_ERROR', true), 'unavailable', 'does not exist', false, false],
    ['a missing table', errno(1146), 'not_provisioned', 'keepsake provision', false, true],
    ['a missing column', errno(1054), 'not_provisioned', 'keepsake provision', false, true],
    ['a missing privilege', errno(1142), 'unavailable', 'grant', false, true],
    ['a replica', errno(1290), 'unsupported', 'read-only', false, false],
    ['a packet that is too large', errno(1153), 'too_large', 'max_allowed_packet', false, true],
    ['too many statements', errno(1461), 'unavailable', 'max_prepared_stmt_count', false, true],
    ['a full disk', errno(1114), 'unavailable', 'no room left', false, true],
    ['what nobody knows', errno(4025, 'ER_CONSTRAINT_FAILED'), 'unavailable', '(ER_CONSTRAINT_FAILED)', false, true],
    ['a mistake', new TypeError('x is not a function'), 'unavailable', 'an error; the cause has it', false, false],
  ])('%s', (_, error, code, text, retryable, sound) => {
    const told = mysql.toKeepsakeError(error)
    if (!KeepsakeError.isInstance(told)) throw error
    expect([told.code, told.message, told.retryable]).toEqual([code, expect.stringContaining(text), retryable])
    expect(told.message).not.toContain(SECRET)
    expect(mysql.isPassing(error)).toBe(retryable)
    expect(leavesMysqlSound(error)).toBe(sound)
  })
})

test('what is ours already, or no error at all, is left as it is', () => {
  const ours = new KeepsakeError('too_large', 'too large')
  for (const errors of [postgres, mysql]) {
    expect(errors.toKeepsakeError(ours)).toBe(ours)
    expect(errors.toKeepsakeError('text')).toBe('text')
    expect([errors.isPassing(ours), errors.isPassing('text')]).toEqual([false, false])
    expect(errors.isUnreachable(system('ECONNREFUSED'))).toBe(true)
    expect(errors.isUnreachable(system('ECONNRESET'))).toBe(false)
  }
})
