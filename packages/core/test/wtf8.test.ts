import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeWtf8, encodeWtf8 } from '../src/values/wtf8.ts'

describe('WTF-8', () => {
  it.each([
    ['', []],
    ['A', [0x41]],
    ['é', [0xc3, 0xa9]],
    ['€', [0xe2, 0x82, 0xac]],
    ['😀', [0xf0, 0x9f, 0x98, 0x80]],
    // U+D83D is 1101 1000 0011 1101: 1110 1101, 10 100000, 10 111101.
    ['\uD83D', [0xed, 0xa0, 0xbd]],
    // U+DE00 is 1101 1110 0000 0000.
    ['\uDE00', [0xed, 0xb8, 0x80]],
    ['\uDE00\uD83D', [0xed, 0xb8, 0x80, 0xed, 0xa0, 0xbd]],
  ])('%j is %j, and back', (text, bytes) => {
    expect(Array.from(encodeWtf8(text))).toEqual(bytes)
    expect(decodeWtf8(Uint8Array.from(bytes))).toBe(text)
  })

  it('round trips any sequence of UTF-16 units, and is UTF-8 where that is well-formed', () => {
    const unit = fc.oneof(fc.nat({ max: 0xffff }), fc.integer({ min: 0xd7ff, max: 0xe000 }))
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 20 }), (units) => {
        const text = String.fromCharCode(...units)
        const bytes = encodeWtf8(text)
        expect(decodeWtf8(bytes)).toBe(text)
        if (text.isWellFormed()) expect(Buffer.from(bytes).equals(Buffer.from(text))).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['a continuation first', [0x80]],
    ['an end that is cut off', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0x80]],
    ['halves of one pair encoded apart', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
    ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a byte that is none', [0xff, 0x41, 0x41, 0x41]],
  ])('refuses %s', (_, bytes) => {
    expect(() => decodeWtf8(Uint8Array.from(bytes))).toThrow()
  })
})
