import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareUtf8, prefixEnd, utf8Length } from '../src/rows/utf8.ts'

/** Well-formed, with characters around the borders where UTF-16 and UTF-8 order differently. */
const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom('\0', 'a', '\u007F', '\u0080', '\u07FF', '\u0800', '\uD7FF', '\uE000', '\uFF5E', '\uFFFF'),
      fc.constantFrom('\u{10000}', '\u{1F600}', '\u{1F601}', '\u{10FFFF}'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 6,
  })
  .filter((candidate) => candidate.isWellFormed())

describe('compareUtf8', () => {
  it.each([
    ['', '', 0],
    ['', 'a', -1],
    ['a', 'ab', -1],
    ['b', 'ab', 1],
    ['Z', 'a', -1],
    ['\uFF5E', '\u{1F600}', -1],
    ['\uE000', '\u{10000}', -1],
    ['\uD7FF', '\u{10000}', -1],
    ['\uFFFF', '\u{10FFFF}', -1],
    ['\u{1F600}', '\u{1F601}', -1],
    ['\u{1F600}a', '\u{1F600}', 1],
  ])('%j to %j: %d', (a, b, order) => {
    expect(Math.sign(compareUtf8(a, b))).toBe(order)
    expect(Math.sign(compareUtf8(b, a))).toBe(0 - order)
  })

  it('is the order of the bytes', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
      { numRuns: 10_000 },
    )
  })
})

describe('utf8Length', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['\u007F\u0080', 3],
    ['\u07FF\u0800', 5],
    ['\uFFFF', 3],
    ['😀', 4],
    ['👩\u200D👩\u200D👧', 18],
    ['\uD83D', 3],
    ['\uD83Dx', 4],
    ['\uDE00\uD83D', 6],
  ])('%j has %d bytes', (value, bytes) => {
    expect(utf8Length(value)).toBe(bytes)
  })

  it('is what Buffer says, lone surrogates too', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('', '\uD83D', '\uDE00'), (a, b) => {
        expect(utf8Length(a + b)).toBe(Buffer.byteLength(a + b))
      }),
    )
  })
})

describe('prefixEnd', () => {
  it.each([
    ['', undefined],
    ['a', 'b'],
    ['ab', 'ac'],
    ['a\u007F', 'a\u0080'],
    ['\uD7FF', '\uE000'],
    ['\uFFFF', '\u{10000}'],
    ['😀', '😁'],
    ['a\u{10FFFF}', 'b'],
    ['a\u{10FFFF}\u{10FFFF}', 'b'],
    ['\u{10FFFF}', undefined],
    ['\0', '\u0001'],
  ])('%j ends before %j', (prefix, end) => {
    expect(prefixEnd(prefix)).toBe(end)
  })

  it('parts what begins with the prefix from what comes after it', () => {
    fc.assert(
      fc.property(text, text, text, (prefix, suffix, other) => {
        const end = prefixEnd(prefix)
        const inside = (candidate: string): boolean =>
          compareUtf8(candidate, prefix) >= 0 && (end === undefined || compareUtf8(candidate, end) < 0)
        expect(inside(prefix + suffix)).toBe(true)
        expect(inside(other)).toBe(other.startsWith(prefix))
        expect(end?.isWellFormed() ?? true).toBe(true)
      }),
      { numRuns: 5000 },
    )
  })
})
