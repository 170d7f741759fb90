import { KeepsakeError } from '@keepsake/core'
import { expect, test } from 'vitest'
import { isPassing, toKeepsakeError } from '../src/bigtable-errors.ts'

const failure = (code: number, message = 'something'): Error => Object.assign(new Error(message), { code })

test.each([
  ['cancelled', 1, ''],
  ['deadline exceeded', 4, ''],
  ['quota', 8, 'Quota exceeded for node'],
  ['aborted', 10, ''],
  ['stream reset', 13, 'Received RST_STREAM with code 2'],
  ['unavailable', 14, 'No connection established'],
])('%s is tried again, then unavailable and worth another try', (_what, code, message) => {
  expect(isPassing(failure(code, message))).toBe(true)
  expect(toKeepsakeError(failure(code, message))).toMatchObject({ code: 'unavailable', retryable: true })
})

test.each([
  ['no table', 5, 'table "projects/p/instances/i/tables/t" not found', 'not_provisioned', /keepsake provision/],
  ['no family', 2, 'unknown family "m"', 'not_provisioned', /family m/],
  ['no role', 7, 'Access denied', 'unavailable', /roles\/bigtable.user/],
  ['no valid credentials', 16, 'Request had invalid authentication', 'unavailable', /credentials/],
  [
    'multi-cluster routing',
    9,
    'Single-row transactions are not allowed by this app profile',
    'unsupported',
    /single-cluster/,
  ],
  ['a message over the limit', 8, 'Received message larger than max', 'unavailable', /cause/],
  ['internal', 13, 'something broke', 'unavailable', /cause/],
])('%s is not tried again and says what to do', (_what, code, message, expected, text) => {
  const error = failure(code, message)
  expect(isPassing(error)).toBe(false)
  const shown = toKeepsakeError(error) as KeepsakeError
  expect(shown).toMatchObject({ code: expected, retryable: false, cause: error })
  expect(shown.message).toMatch(text)
})

test('errors of ours and of programs pass through', () => {
  const ours = new KeepsakeError('aborted', 'stopped')
  const bug = new TypeError('x is not a function')
  expect([ours, bug].map(toKeepsakeError)).toEqual([ours, bug])
  expect(isPassing(ours)).toBe(false)
  expect(isPassing(bug)).toBe(false)
})
