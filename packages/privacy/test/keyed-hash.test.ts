import { KeepsakeError } from '@keepsake/core'
import { expect, it } from 'vitest'
import { keyedHash } from '../src/index.ts'

const SECRET = '0123456789abcdef0123456789abcdef'

// printf 'owner\001ada@example.com\001' | openssl dgst -sha256 -mac HMAC -macopt key:$SECRET -binary | head -c 16 | base64
it('gives what openssl gives', async () => {
  expect(await keyedHash(SECRET, 'owner')('ada@example.com')).toBe('5rrzdYlkOMg2P0B75jw-2Q')
  expect(await keyedHash(SECRET)('ada@example.com')).toBe('mDYZRocXxv6EWMfNt9Xp5Q')
  expect(await keyedHash(new TextEncoder().encode(SECRET))('ada@example.com')).toBe('mDYZRocXxv6EWMfNt9Xp5Q')
})

it('tells names, purposes and secrets apart', async () => {
  const hashes = await Promise.all([
    keyedHash(SECRET)('a'),
    keyedHash(SECRET)('b'),
    keyedHash(SECRET, 'a')(''),
    keyedHash(SECRET, 'a')('b'),
    keyedHash(`${SECRET}!`)('a'),
  ])
  expect(new Set(hashes).size).toBe(5)
  for (const hash of hashes) expect(hash).toMatch(/^[A-Za-z0-9_-]{22}$/)
})

it('refuses a secret that could be guessed, and what is none', () => {
  expect(() => keyedHash('hunter2')).toThrow(/at least 32 bytes or characters.* it has 7/)
  expect(() => keyedHash('hunter2')).not.toThrow(/hunter2/)
  expect(() => keyedHash(new Uint8Array(31))).toThrow(KeepsakeError)
  expect(() => keyedHash(5 as unknown as string)).toThrow(/must be a text or bytes; it is a number/)
})
