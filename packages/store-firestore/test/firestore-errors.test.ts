import { KeepsakeError } from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import { isConflict, toKeepsakeError } from '../src/firestore-errors.ts'

function failure(code: number, message = 'it failed'): Error {
  return Object.assign(new Error(message), { code })
}

describe('what a failure means', () => {
  test.each([
    [4, 'DEADLINE_EXCEEDED', 'unavailable', true, /could not be reached/],
    [8, 'RESOURCE_EXHAUSTED', 'unavailable', true, /could not be reached/],
    [14, 'UNAVAILABLE', 'unavailable', true, /could not be reached/],
    [7, 'PERMISSION_DENIED', 'unavailable', false, /roles\/datastore.user/],
    [16, 'UNAUTHENTICATED', 'unavailable', false, /refused the credentials/],
    [
      14,
      'Getting metadata from plugin failed with error: invalid_grant',
      'unavailable',
      false,
      /refused the credentials/,
    ],
    [5, 'The database (default) does not exist', 'not_provisioned', false, /gcloud firestore databases create/],
    [9, 'The query requires an index.', 'not_provisioned', false, /exemption/],
    [
      9,
      'The Cloud Firestore API is not available for Firestore in Datastore Mode',
      'unsupported',
      false,
      /Native mode/,
    ],
    [10, 'Too much contention on these documents', 'conflict', true, /Try again/],
    [3, 'INVALID_ARGUMENT', 'unavailable', false, /the cause has it/],
  ])('%i %s is %s', (code, message, expected, retryable, text) => {
    const cause = failure(code, message)
    const error = toKeepsakeError(cause) as KeepsakeError
    expect(error).toMatchObject({ code: expected, retryable, cause })
    expect(error.message).toMatch(text)
    // What the server says may hold names of documents.
    expect(error.message).not.toContain(message)
  })

  test('of a client that its owner has terminated', () => {
    const error = toKeepsakeError(new Error('The client has already been terminated'))
    expect(error).toMatchObject({ code: 'unavailable', retryable: false })
  })

  test('of the store itself stays what it is, and so does what is no answer of a server', () => {
    const known = new KeepsakeError('aborted', 'It was aborted.')
    expect(toKeepsakeError(known)).toBe(known)
    const bug = new TypeError('x is not a function')
    expect(toKeepsakeError(bug)).toBe(bug)
  })
})

test('a commit has met another writer at four codes, and at no other', () => {
  const codes = Array.from({ length: 17 }, (_, code) => code)
  expect(codes.filter((code) => isConflict(failure(code)))).toEqual([5, 6, 9, 10])
  expect(isConflict(new Error('9'))).toBe(false)
  expect(isConflict(undefined)).toBe(false)
})
