import { encode } from 'cborg'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeEnvelope, encodeEnvelope } from '../src/values/envelope.ts'
import { exactTokenizer } from '../src/values/exact-tokenizer.ts'

const firstOf = (bytes: readonly number[]): unknown => exactTokenizer(Uint8Array.from(bytes), {}).next().value

describe('exactTokenizer', () => {
  it.each<[string, readonly number[], unknown]>([
    ['an empty text', [0x60], ''],
    ['plain text', [0x62, 0x61, 0x62], 'ab'],
    ['a byte-order mark', [0x63, 0xef, 0xbb, 0xbf], '\uFEFF'],
    ['a byte-order mark in front', [0x64, 0xef, 0xbb, 0xbf, 0x61], '\uFEFFa'],
    ['two of them', [0x66, 0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], '\uFEFF\uFEFF'],
    ['one in the middle', [0x64, 0x61, 0xef, 0xbb, 0xbf], 'a\uFEFF'],
    ['another character that begins with EF', [0x63, 0xef, 0xbf, 0xbd], '\uFFFD'],
    ['a length in one more byte', [0x78, 0x03, 0xef, 0xbb, 0xbf], '\uFEFF'],
    ['a length in two more bytes', [0x79, 0x00, 0x03, 0xef, 0xbb, 0xbf], '\uFEFF'],
    ['a length in four more bytes', [0x7a, 0x00, 0x00, 0x00, 0x03, 0xef, 0xbb, 0xbf], '\uFEFF'],
    ['bytes, which are no text', [0x43, 0xef, 0xbb, 0xbf], Uint8Array.of(0xef, 0xbb, 0xbf)],
    ['a number', [0x18, 0xef], 0xef],
  ])('reads %s', (_, bytes, value) => {
    expect(firstOf(bytes)).toEqual(value)
  })

  it.each<[string, readonly number[]]>([
    ['a byte that is none', [0x61, 0xff]],
    ['a character that is cut off', [0x62, 0xe2, 0x82]],
    ['an overlong form', [0x62, 0xc0, 0x80]],
    ['half of a surrogate pair', [0x63, 0xed, 0xa0, 0xbd]],
    ['a long text with one such byte', [0x78, 0x28, ...Array.from({ length: 39 }, () => 0x61), 0xff]],
  ])('refuses %s', (_, bytes) => {
    expect(() => firstOf(bytes)).toThrow(TypeError)
  })

  it('leaves the place after each item as cborg does', () => {
    const tokenizer = exactTokenizer(encode(['\uFEFFa', '\uFEFF']), {})
    const places: number[] = []
    while (!tokenizer.done()) {
      tokenizer.next()
      places.push(tokenizer.pos())
    }
    expect(places).toEqual([1, 6, 10])
  })
})

describe('texts of an envelope', () => {
  it('keep byte-order marks, as values and as keys', () => {
    const mark = fc.string({ unit: fc.constantFrom('\uFEFF', 'a', '\uFFFD', 'é'), maxLength: 50 })
    fc.assert(
      fc.property(mark, (text) => {
        const envelope = { value: [text, { [text]: text }], createdAtMs: 0, owner: [text], sources: [text] }
        expect(decodeEnvelope(encodeEnvelope(envelope))).toStrictEqual(envelope)
      }),
      { numRuns: 1000 },
    )
  })
})
