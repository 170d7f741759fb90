import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkRowText,
  checkText,
  copyTuple,
  decodeTuple,
  descending,
  describeType,
  encodeTuple,
  fromDescending,
} from '../src/rows/keys.ts'
import { compareUtf8 } from '../src/rows/utf8.ts'
import { caught, caughtAs } from './caught.ts'

/** Segments in which the characters that are escaped are frequent. */
const segment = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\0', '\u0001', '\u0002', '\u0003', 'a', 'b', '\u{1F600}'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 8,
})
const tuple = fc.array(
  segment.filter((text) => text.isWellFormed()),
  { maxLength: 5 },
)

/** Segment by segment, and the shorter first where one begins with the other. */
function compareTuples(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareUtf8(a[i]!, b[i]!)
    if (order !== 0) return Math.sign(order)
  }
  return Math.sign(a.length - b.length)
}

describe('encodeTuple', () => {
  it.each([
    [[], ''],
    [[''], '\u0001'],
    [['', ''], '\u0001\u0001'],
    [['a'], 'a\u0001'],
    [['a', 'b:c'], 'a\u0001b:c\u0001'],
    [['a', 'b', 'c'], 'a\u0001b\u0001c\u0001'],
    [['\0'], '\u0002\u0001\u0001'],
    [['\u0001'], '\u0002\u0002\u0001'],
    [['\u0002'], '\u0002\u0003\u0001'],
    [['\u0003'], '\u0003\u0001'],
    [['x\u0002\u0001y', 'z'], 'x\u0002\u0003\u0002\u0002y\u0001z\u0001'],
    [['%', '_', '*', '😀'], '%\u0001_\u0001*\u0001😀\u0001'],
  ])('%j is %j, and back', (parts, encoded) => {
    expect(encodeTuple(parts)).toBe(encoded)
    expect(decodeTuple(encoded)).toEqual(parts)
  })

  it('round trips any tuple', () => {
    fc.assert(
      fc.property(tuple, (parts) => {
        expect(decodeTuple(encodeTuple(parts))).toEqual(parts)
      }),
      { numRuns: 2000 },
    )
  })

  it('never holds U+0000, which rows refuse', () => {
    fc.assert(
      fc.property(tuple, (parts) => {
        expect(encodeTuple(parts)).not.toContain('\0')
      }),
    )
  })

  it('keeps the order of tuples', () => {
    fc.assert(
      fc.property(tuple, tuple, (a, b) => {
        expect(Math.sign(compareUtf8(encodeTuple(a), encodeTuple(b)))).toBe(compareTuples(a, b))
      }),
      { numRuns: 5000 },
    )
  })

  it('is a prefix of another exactly if the tuple is', () => {
    fc.assert(
      fc.property(tuple, tuple, (a, more) => {
        expect(encodeTuple([...a, ...more]).startsWith(encodeTuple(a))).toBe(true)
        const isPrefix = a.length <= more.length && a.every((part, i) => part === more[i])
        expect(encodeTuple(more).startsWith(encodeTuple(a))).toBe(isPrefix)
      }),
      { numRuns: 5000 },
    )
  })

  it('keeps a namespace apart from a longer name', () => {
    expect(encodeTuple(['t', 'acme-corp']).startsWith(encodeTuple(['t', 'acme']))).toBe(false)
  })

  it.each([
    ['a text', 'abc', 'key must be a list of strings'],
    ['undefined', undefined, 'it is undefined'],
    ['a number inside', ['a', 5], 'key[1] must be a string; it is a number'],
    ['half of a surrogate pair', ['\uD83D'], 'key[0] holds half of a surrogate pair'],
  ])('refuses %s', async (_, parts, message) => {
    const error = await caught(() => encodeTuple(parts as string[]))
    expect(error.code).toBe('invalid_key')
    expect(error.message).toContain(message)
  })
})

describe('decodeTuple', () => {
  it.each([
    ['no end', 'a'],
    ['something after the end', 'a\u0001b'],
    ['an escape at the end', 'a\u0002'],
    ['an escape that waits for its second character', 'a\u0002\u0001'],
    ['an unknown escape', 'a\u0002x\u0001'],
    ['an escape of U+0003', '\u0002\u0004\u0001'],
    ['a raw U+0000', 'a\0\u0001'],
    ['half of a surrogate pair', '\uDE00\u0001'],
  ])('refuses %s', async (_, encoded) => {
    expect((await caught(() => decodeTuple(encoded))).code).toBe('invalid_key')
  })

  it('refuses or is the inverse, for any text', () => {
    const text = fc.string({ unit: fc.constantFrom('\0', '\u0001', '\u0002', '\u0003', '\u0004', 'a'), maxLength: 12 })
    fc.assert(
      fc.property(text, (encoded) => {
        let parts: string[]
        try {
          parts = decodeTuple(encoded)
        } catch {
          return
        }
        expect(encodeTuple(parts)).toBe(encoded)
      }),
      { numRuns: 5000 },
    )
  })

  it('says nothing of the key but its length', async () => {
    expect(await caughtAs(() => decodeTuple('secret'))).toBe(
      "invalid_key: This key of 6 characters was not written by Keepsake's models: it is no encoded tuple.",
    )
  })
})

describe('descending', () => {
  it.each([
    [0, '1fffffffffffff'],
    [1, '1ffffffffffffe'],
    [4096, '1fffffffffefff'],
    [2 ** 52, '0fffffffffffff'],
    [Number.MAX_SAFE_INTEGER, '00000000000000'],
  ])('%d is %s', (n, text) => {
    expect(descending(n)).toBe(text)
    expect(fromDescending(text)).toBe(n)
  })

  it('turns the order around', () => {
    const whole = fc.maxSafeNat()
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        expect(Math.sign(compareUtf8(descending(a), descending(b)))).toBe(Math.sign(b - a))
        expect(fromDescending(descending(a))).toBe(a)
      }),
    )
  })

  it.each([-1, 0.5, Number.NaN, Infinity, 2 ** 53, '5', undefined])('refuses %s', async (n) => {
    expect((await caught(() => descending(n as number))).code).toBe('invalid_value')
  })

  it.each(['', 'zzz', '1fffffffffffff0', '1FFFFFFFFFFFFF', '2fffffffffffff', '-fffffffffffff', 5])(
    'does not read %j',
    async (text) => {
      expect((await caught(() => fromDescending(text as string))).code).toBe('invalid_key')
    },
  )
})

describe('checks', () => {
  it('take what is well-formed', () => {
    copyTuple([], 'key')
    copyTuple(['', '\0', '😀'], 'key')
    checkText('\0', 'text')
    checkRowText('é'.repeat(256), 'entity', 512)
  })

  it('count bytes of UTF-8, not characters', async () => {
    const error = await caught(() => checkRowText(`${'é'.repeat(256)}x`, 'entity', 512))
    expect(error.message).toBe('entity has 513 bytes in UTF-8; at most 512 are allowed.')
    expect(error.details).toEqual({ bytes: 513, maxBytes: 512 })
  })

  it('name a U+0000', async () => {
    expect(await caughtAs(() => checkRowText('a\0b', 'entity', 512))).toBe(
      'invalid_key: entity holds U+0000, which rows do not allow.',
    )
  })

  it('name the place in a list', async () => {
    expect(await caughtAs(() => copyTuple(['a', null], 'keys[3]'))).toBe(
      'invalid_key: keys[3][1] must be a string; it is null.',
    )
  })
})

describe('describeType', () => {
  class Invoice {
    total = 1
  }
  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [[1], 'an array'],
    [{ secret: 1 }, 'an object'],
    [Object.create(null), 'an object'],
    [Object.create({ constructor: { name: 5 } }), 'an object'],
    [new Map(), 'a Map'],
    [new Invoice(), 'a Invoice'],
    ['secret', 'a string'],
    [7, 'a number'],
    [7n, 'a bigint'],
    [() => 0, 'a function'],
  ])('%o is %s', (value, description) => {
    expect(describeType(value)).toBe(description)
  })

  it('does not throw where a proxy does', () => {
    const getPrototypeOf = (): never => {
      throw new Error('secret')
    }
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect([new Proxy({}, { getPrototypeOf }), proxy].map(describeType)).toEqual(['an object', 'an object'])
  })
})
