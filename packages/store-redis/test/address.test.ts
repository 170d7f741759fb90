import { expect, test } from 'vitest'
import { parseRedisAddress } from '../src/address.ts'

const nobody = { username: undefined, password: undefined }
const server = { kind: 'server', host: 'h', port: 6379, db: 0, tls: false, ...nobody }

test.each([
  ['redis://h', server],
  ['redis://h:7', { ...server, port: 7 }],
  ['redis://h/', server],
  ['redis://h/3', { ...server, db: 3 }],
  ['REDISS://h:7/15', { ...server, port: 7, db: 15, tls: true }],
  ['redis://[::1]:7', { ...server, host: '::1', port: 7 }],
  ['redis://[fe80::1]', { ...server, host: 'fe80::1' }],
  ['redis://ann@h', { ...server, username: 'ann' }],
  ['redis://:pw@h', { ...server, password: 'pw' }],
  ['redis://ann:p%40%3A%2F%25@h', { ...server, username: 'ann', password: 'p@:/%' }],
  ['redis://ann:a:b@h', { ...server, username: 'ann', password: 'a:b' }],
])('%s', (url, expected) => {
  expect(parseRedisAddress(url)).toEqual(expected)
})

test.each([
  ['redis+cluster://a:7000', [{ host: 'a', port: 7000 }], nobody],
  [
    'redis+cluster://a:7000,b,[::1]:7002',
    [
      { host: 'a', port: 7000 },
      { host: 'b', port: 6379 },
      { host: '::1', port: 7002 },
    ],
    nobody,
  ],
  [
    'redis+cluster://ann:p%2C@a:1,b:2/',
    [
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
    ],
    { username: 'ann', password: 'p,' },
  ],
])('%s', (url, hosts, login) => {
  expect(parseRedisAddress(url)).toEqual({ kind: 'cluster', hosts, ...login })
})

test.each([
  'http://h',
  'redis:h',
  'redis://',
  'redis:///1',
  'redis://h:x',
  'redis://h:65536',
  'redis://h:1:2',
  'redis://h/app',
  'redis://h/-1',
  'redis://h?family=6',
  'redis://h/0?tls=1',
  'redis://a b',
  'redis://ann:secret@',
  'redis://ann:secret@h@i',
  'redis://h,i',
  'redis+cluster://a,,b',
  'redis+cluster://a:1/0',
  'redis://ann:secret%zz@h',
])('%s is refused, and not repeated', (url) => {
  let message = ''
  try {
    parseRedisAddress(url)
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_value' })
    message = (error as Error).message
  }
  expect(message).not.toBe('')
  expect(message).not.toContain('secret')
})
