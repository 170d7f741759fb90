import { inspect } from 'node:util'
import { KeepsakeError } from '@keepsake/core'
import { expect, test } from 'vitest'
import { isPassing, toKeepsakeError } from '../src/redis-errors.ts'

/** As ioredis makes it from an answer: with the command and its arguments. */
function reply(message: string): Error {
  const error = new Error(message)
  error.name = 'ReplyError'
  return Object.assign(error, { command: { name: 'auth', args: ['hunter2', 'my diary'] } })
}

function coded(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}

test.each([
  [
    'LOADING Redis is loading the dataset in memory',
    true,
    'unavailable',
    /takes no commands at the moment \(LOADING\)/,
  ],
  ['CLUSTERDOWN The cluster is down', true, 'unavailable', /\(CLUSTERDOWN\)/],
  ["READONLY You can't write against a read only replica.", true, 'unavailable', /is a replica/],
  ['OOM command not allowed', false, 'unavailable', /out of memory/],
  ['NOAUTH Authentication required.', false, 'unavailable', /user or the password/],
  ['WRONGPASS invalid username-password pair or user is disabled.', false, 'unavailable', /user or the password/],
  ['ERR invalid password', false, 'unavailable', /user or the password/],
  ['NOPERM this user has no permissions', false, 'unavailable', /lacks a right/],
  ['MOVED 1 127.0.0.1:2', false, 'unsupported', /redis\+cluster/],
  ["CROSSSLOT Keys in request don't hash to the same slot", false, 'unsupported', /redis\+cluster/],
  ['ERR DB index is out of range', false, 'invalid_value', /database/],
  ['WRONGTYPE Operation against a key', false, 'unavailable', /answered with an error/],
])('%s', (message, passing, code, text) => {
  expect(isPassing(reply(message))).toBe(passing)
  const error = toKeepsakeError(reply(message))
  expect(error).toMatchObject({ code, message: expect.stringMatching(text) as string })
})

test.each([
  [new Error('Connection is closed.')],
  [new Error("Stream isn't writeable and enableOfflineQueue options is false")],
  [new Error('Reached the max retries per request limit (which is 0).')],
  [new Error('Too many Cluster redirections. Last error: Error: Connection is closed.')],
  [new Error("Cluster isn't ready and enableOfflineQueue options is false")],
  [new Error('Failed to refresh slots cache.')],
  [new Error('Command timed out')],
  [new Error('Command aborted due to connection close')],
  [coded('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED')],
  [coded('read ECONNRESET', 'ECONNRESET')],
  [coded('getaddrinfo ENOTFOUND redis.example', 'ENOTFOUND')],
])('%s may pass', (error) => {
  expect(isPassing(error)).toBe(true)
  expect(toKeepsakeError(error)).toMatchObject({ code: 'unavailable', retryable: true })
})

test('a certificate that is not trusted does not pass by itself', () => {
  const error = coded('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT')
  expect(isPassing(error)).toBe(false)
  expect(toKeepsakeError(error)).toMatchObject({ code: 'unavailable', retryable: false })
})

test('no error shows the arguments of a command', () => {
  const quoted = "ERR unknown command 'EVALSHA', with args beginning with: 'my diary' 'hunter2' "
  for (const message of ['WRONGPASS invalid', quoted]) {
    const shown = inspect(toKeepsakeError(reply(message)), { depth: 9, showHidden: true })
    expect(shown).not.toMatch(/hunter2|diary/)
  }
})

test('errors of ours, and mistakes in programs, stay what they are', () => {
  const ours = new KeepsakeError('aborted', 'x')
  const mistake = new TypeError('x is not a function')
  expect(toKeepsakeError(ours)).toBe(ours)
  expect(toKeepsakeError(mistake)).toBe(mistake)
  expect(isPassing(mistake)).toBe(false)
})
