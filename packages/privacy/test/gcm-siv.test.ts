import { randomBytes } from 'node:crypto'
import { gcmsiv } from '@noble/ciphers/aes.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sealingKey } from '../src/encryption/gcm-siv.ts'
import { polyval } from '../src/encryption/polyval.ts'

const unhex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

// RFC 8452, appendix C.2 (AEAD_AES_256_GCM_SIV): key 01 00…, nonce 03 00….
const KEY = unhex('01'.padEnd(64, '0'))
const NONCE = unhex('03'.padEnd(24, '0'))
const vectors: readonly (readonly [plaintext: string, associated: string, result: string])[] = [
  ['', '', '07f5f4169bbf55a8400cd47ea6fd400f'],
  ['0100000000000000', '', 'c2ef328e5c71c83b843122130f7364b761e0b97427e3df28'],
  ['010000000000000000000000', '', '9aab2aeb3faa0a34aea8e2b18ca50da9ae6559e48fd10f6e5c9ca17e'],
  ['01'.padEnd(32, '0'), '', '85a01b63025ba19b7fd3ddfc033b3e76c9eac6fa700942702e90862383c6c366'],
]

describe('AES-256-GCM-SIV', () => {
  it.each(vectors)('seals %j with %j as in RFC 8452, appendix C.2', (plaintext, associated, result) => {
    const key = sealingKey(KEY, NONCE)
    expect(hex(key.seal(unhex(plaintext), unhex(associated)))).toBe(result)
    expect(hex(key.open(unhex(result), unhex(associated))!)).toBe(plaintext)
  })

  it('lets the counter wrap around as in appendix C.3', () => {
    const key = sealingKey(new Uint8Array(32), new Uint8Array(12))
    const plaintext = '000000000000000000000000000000004db923dc793ee6497c76dcc03a98e108'
    const result = 'f3f80f2cf0cb2dd9c5984fcda908456cc537703b5ba70324a6793a7bf218d3eaffffffff000000000000000000000000'
    expect(hex(key.seal(unhex(plaintext), new Uint8Array()))).toBe(result)
    expect(hex(key.open(unhex(result), new Uint8Array())!)).toBe(plaintext)
  })

  it('hashes as in appendix A', () => {
    const { hash } = polyval(unhex('25629347589242761d31f826ba4b757b'))
    const blocks = [unhex('4f4f95668c83dfb6401762bb2d01a262'), unhex('d1a24ddd2721d006bbe45f20d3c9f362')]
    expect(hex(hash(blocks))).toBe('f7a3b47b846119fae5b7866cf5e5b77e')
  })

  it('gives the bytes of another implementation, for all sizes', () => {
    const bytes = (maxLength: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ maxLength })
    const fixed = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length })
    fc.assert(
      fc.property(fixed(32), fixed(12), bytes(70), bytes(200), (key, nonce, associated, plaintext) => {
        const sealed = sealingKey(key, nonce).seal(plaintext, associated)
        expect(hex(sealed)).toBe(hex(gcmsiv(key, nonce, associated).encrypt(plaintext)))
        expect(hex(sealingKey(key, nonce).open(sealed, associated)!)).toBe(hex(plaintext))
      }),
      { numRuns: 500 },
    )
    const large = new Uint8Array(randomBytes(1_000_003))
    expect(hex(sealingKey(KEY, NONCE).seal(large, KEY))).toBe(hex(gcmsiv(KEY, NONCE, KEY).encrypt(large)))
  })

  it('seals many at once as one by one, in chunks that end anywhere', () => {
    const key = sealingKey(KEY, NONCE)
    const sizes = fc.array(
      fc.oneof(fc.nat(70), fc.nat(20_000), fc.constantFrom(0, 16, 65_520, 65_536, 65_537, 140_000)),
      {
        maxLength: 12,
      },
    )
    fc.assert(
      fc.property(sizes, fc.nat(20), (lengths, headLength) => {
        const records = lengths.map((length, i) => ({
          plaintext: new Uint8Array(randomBytes(length)),
          associated: new Uint8Array(randomBytes(i * 7)),
          head: new Uint8Array(randomBytes(headLength)),
        }))
        const expected = records.map(({ plaintext, associated, head }) =>
          hex(Buffer.concat([head, gcmsiv(KEY, NONCE, associated).encrypt(plaintext)])),
        )
        expect(key.sealAll(records).map(hex)).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })

  it('opens nothing of which one bit is another', () => {
    const key = sealingKey(KEY)
    const plaintext = unhex('00112233445566778899aabbccddeeff0011')
    const associated = unhex('a1b2')
    const sealed = key.seal(plaintext, associated)
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const flipped = sealed.slice()
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      expect(key.open(flipped, associated)).toBeUndefined()
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(key.open(sealed.subarray(0, length), associated)).toBeUndefined()
    }
    expect(key.open(sealed, unhex('a1b3'))).toBeUndefined()
    expect(hex(key.open(sealed, associated)!)).toBe(hex(plaintext))
  })

  it('refuses keys and nonces of another size', () => {
    expect(() => sealingKey(new Uint8Array(31))).toThrow('AES-256 takes a key of 32 bytes; it has 31.')
    expect(() => sealingKey(KEY, new Uint8Array(16))).toThrow('AES-GCM-SIV takes a nonce of 12 bytes; it has 16.')
  })
})
