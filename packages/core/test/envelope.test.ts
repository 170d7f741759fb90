import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeEnvelope, encodeEnvelope, MAX_WRITE_IDS, peekEnvelope, type Envelope } from '../src/values/envelope.ts'
import { normalise, type Storable } from '../src/values/normalise.ts'
import { caught } from './caught.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const unhex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'))

// Written by hand from RFC 8949. Section 3: the first three bits of an item are its major type (0 unsigned, 1 negative,
// 2 bytes, 3 text, 4 array, 5 map, 6 tag, 7 simple or float), the other five a number below 24, or 24, 25, 26, 27 where
// the number follows in 1, 2, 4, 8 bytes. Section 4.2: shortest forms, map keys in the order of their bytes.
const golden: readonly (readonly [string, Envelope, string])[] = [
  [
    'the smallest',
    { value: null, createdAtMs: 0 },
    `83        -- array of 3
       01      -- format 1
       f6      -- null
       a1      -- map of 1
         61 63 -- "c"
         00    -- 0`,
  ],
  [
    'all fields',
    {
      value: { b: [-1, 1.5, 24], a: 'é' },
      createdAtMs: 1_700_000_000_000,
      expiresAtMs: 1_700_000_086_400,
      owner: ['users', 'ada'],
      subject: ['bob'],
      sources: ['m1'],
      writeIds: ['w2', 'w1'],
    },
    `83                         -- array of 3
       01                       -- format 1
       a2                       -- map of 2: "a" is before "b", though it was given after it
         61 61  62 c3a9         -- "a": "é", two bytes of UTF-8
         61 62  83 20 f93e00 1818  -- "b": [-1, 1.5 as a half float, 24 in one more byte]
       a6                       -- map of 6, in the order c f o s w x
         61 63  1b 0000018bcfe56800  -- "c": 1700000000000 in 8 bytes
         61 66  81 62 6d31      -- "f": ["m1"]
         61 6f  82 65 7573657273 63 616461  -- "o": ["users", "ada"]
         61 73  81 63 626f62    -- "s": ["bob"]
         61 77  82 62 7732 62 7731  -- "w": ["w2", "w1"]
         61 78  1b 0000018bcfe6b980  -- "x": 1700000086400`,
  ],
  [
    'what of it is searched: two paths',
    { value: 1, createdAtMs: 0, indexed: ['a', 'b.c'] },
    `83                  -- array of 3
       01                -- format 1
       01                -- 1
       a2                -- map of 2
         61 63 00        -- "c": 0
         61 69  82 61 61 63 622e63  -- "i": ["a", "b.c"]`,
  ],
  [
    'what of it is searched: nothing',
    { value: 1, createdAtMs: 0, indexed: [] },
    `83 01 01 a2 61 63 00 61 69 80  -- "i" is an empty array`,
  ],
  [
    'bytes, half of an emoji and -0',
    { value: [Uint8Array.of(1, 2), 'a\uD83D', -0], createdAtMs: 23 },
    `83             -- array of 3
       01           -- format 1
       83           -- array of 3
         42 0102    -- 2 bytes
         d9 0111    -- tag 273 (IANA: WTF-8), in two more bytes
           44 61 eda0bd  -- 4 bytes: "a", and U+D83D as if it were a character
         f9 8000    -- -0 as a half float
       a1 61 63 17  -- "c": 23, the largest number without more bytes`,
  ],
]

const bytesOf = (commented: string): Uint8Array => unhex(commented.replaceAll(/--.*$/gm, ''))

describe('golden bytes', () => {
  it.each(golden)('%s', (_, envelope, commented) => {
    expect(hex(encodeEnvelope(envelope))).toBe(hex(bytesOf(commented)))
    expect(decodeEnvelope(bytesOf(commented))).toStrictEqual(envelope)
  })
})

const storable = fc.anything({ withNullPrototype: false }).map((value) => {
  try {
    return normalise(value, 'value')
  } catch {
    return null
  }
})

const text = fc.string({
  unit: fc.oneof(fc.constantFrom('\uD83D', '\uDE00', '\0', 'é', '\uFEFF'), fc.string({ maxLength: 2 })),
})

describe('round trips', () => {
  it('values of any form', () => {
    fc.assert(
      fc.property(storable, fc.nat(), (value, createdAtMs) => {
        expect(decodeEnvelope(encodeEnvelope({ value, createdAtMs }))).toStrictEqual({ value, createdAtMs })
      }),
      { numRuns: 3000 },
    )
  })

  it('numbers of any size', () => {
    const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger(), fc.constant(-0))
    fc.assert(
      fc.property(number, (value) => {
        const back = decodeEnvelope(encodeEnvelope({ value: [value, { n: value }], createdAtMs: 0 })).value
        expect(back).toStrictEqual([value, { n: value }])
      }),
      { numRuns: 2000 },
    )
  })

  it('texts of any UTF-16 units, in lists and objects', () => {
    fc.assert(
      fc.property(text, (value) => {
        const back = decodeEnvelope(encodeEnvelope({ value: [value, { a: value }], createdAtMs: 0 })).value
        expect(back).toStrictEqual([value, { a: value }])
      }),
      { numRuns: 2000 },
    )
  })

  it('a byte-order mark at the beginning of a text', () => {
    const value = { text: '\uFEFFtext', inside: 'a\uFEFFb' }
    expect(decodeEnvelope(encodeEnvelope({ value, createdAtMs: 0 })).value).toStrictEqual(value)
  })

  it('half of a surrogate pair in sources', () => {
    const envelope = { value: null, createdAtMs: 0, sources: ['\uD83D'] }
    expect(decodeEnvelope(encodeEnvelope(envelope))).toStrictEqual(envelope)
  })

  it('data that look like an envelope', () => {
    const value = [1, { secret: true }, { c: 5, o: ['bob'], x: 1 }]
    const envelope = { value, createdAtMs: 7, owner: ['ada'] }
    expect(decodeEnvelope(encodeEnvelope(envelope))).toStrictEqual(envelope)
  })

  it('data that look like a serialised class, a tag or a reference', () => {
    const value = { lc: 1, type: 'constructor', id: ['AIMessage'], $ref: '#/a', '@type': 'Date', tag: 273, toJSON: 'x' }
    expect(decodeEnvelope(encodeEnvelope({ value, createdAtMs: 0 })).value).toStrictEqual(value)
  })

  it('a key __proto__, without setting a prototype', () => {
    const value = normalise(JSON.parse('{ "__proto__": { "admin": true } }'), 'value')
    const back = decodeEnvelope(encodeEnvelope({ value, createdAtMs: 0 })).value as Record<string, unknown>
    expect(Object.keys(back)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype)
    expect(back['admin']).toBeUndefined()
  })

  it('500 levels', () => {
    let value: Storable = 'core'
    for (let i = 0; i < 500; i++) value = i % 2 === 0 ? [value] : { a: value }
    expect(decodeEnvelope(encodeEnvelope({ value, createdAtMs: 0 })).value).toEqual(value)
  })
})

describe('encodeEnvelope', () => {
  it('gives the same bytes for the same value, whatever the order of its keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer()), (given) => {
        const turned = Object.fromEntries(Object.entries(given).toReversed())
        const [a, b] = [given, turned].map((value) => encodeEnvelope({ value: normalise(value, ''), createdAtMs: 1 }))
        expect(hex(a!)).toBe(hex(b!))
      }),
    )
  })

  it('leaves out empty lists, and all but the newest 16 write ids', () => {
    const writeIds = Array.from({ length: 20 }, (_, i) => `w${i}`)
    const { writeIds: kept, ...rest } = decodeEnvelope(
      encodeEnvelope({ value: 1, createdAtMs: 0, sources: [], writeIds }),
    )
    expect(MAX_WRITE_IDS).toBe(16)
    expect(kept).toEqual(writeIds.slice(0, 16))
    expect(rest).toStrictEqual({ value: 1, createdAtMs: 0 })
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['undefined inside', [{ a: undefined }]],
    ['NaN', Number.NaN],
    ['Infinity', [Infinity]],
    ['a BigInt', 1n],
    ['a Date', new Date(0)],
    ['a Map', { a: new Map() }],
    ['a function', () => 0],
    ['a cycle', ((list: unknown[]) => (list.push(list), list))([])],
  ])('refuses %s, which normalise would have refused', async (_, value) => {
    const error = await caught(() => encodeEnvelope({ value: value as Storable, createdAtMs: 0 }))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toBe('The value cannot be stored as it is: pass what normalise() returns.')
  })
})

describe('decodeEnvelope refuses', () => {
  it.each<[string, string]>([
    ['nothing', ''],
    ['a text', '61 61'],
    ['a map', 'a1 61 63 00'],
    ['an array of 2', '82 01 f6'],
    ['an array of 4', '84 01 f6 a1 61 63 00 f6'],
    ['format 0', '83 00 f6 a1 61 63 00'],
    ['format -1', '83 20 f6 a1 61 63 00'],
    ['format 1.5', '83 f93e00 f6 a1 61 63 00'],
    ['a format that is a text', '83 61 31 f6 a1 61 63 00'],
    ['no created-at', '83 01 f6 a0'],
    ['a created-at that is a text', '83 01 f6 a1 61 63 61 30'],
    ['metadata that are a list', '83 01 f6 80'],
    ['metadata that are null', '83 01 f6 f6'],
    ['an expiry that is a text', '83 01 f6 a2 61 63 00 61 78 61 30'],
    ['an owner that is a text', '83 01 f6 a2 61 63 00 61 6f 61 61'],
    ['write ids that are numbers', '83 01 f6 a2 61 63 00 61 77 81 01'],
    ['a record that was cut', '83 01 f6 a1 61'],
    ['a record with something after it', '83 01 f6 a1 61 63 00 00'],
    ['a number in more bytes than it needs', '83 01 18 05 a1 61 63 00'],
    ['an array without a length', '83 01 9f 01 ff a1 61 63 00'],
    ['undefined', '83 01 f7 a1 61 63 00'],
    ['NaN', '83 01 f97e00 a1 61 63 00'],
    ['Infinity', '83 01 f97c00 a1 61 63 00'],
    ['an integer beyond the safe range', '83 01 1b 0020000000000000 a1 61 63 00'],
    ['a key twice', '83 01 a2 61 61 01 61 61 02 a1 61 63 00'],
    ['a key that is a number', '83 01 a1 01 01 a1 61 63 00'],
    ['a tag that we do not write', '83 01 c0 61 61 a1 61 63 00'],
    ['tag 273 around a number', '83 01 d90111 01 a1 61 63 00'],
    ['tag 273 around bytes that are no WTF-8', '83 01 d90111 41 80 a1 61 63 00'],
    ['JSON', Buffer.from('{"value":1}').toString('hex')],
  ])('%s', async (_, bytes) => {
    const rec = unhex(bytes)
    const error = await caught(() => decodeEnvelope(rec))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toBe(
      `A stored record of ${rec.length} bytes is not one of Keepsake's: it was written by something else, or damaged. It was left as it is.`,
    )
  })

  it.each<[string, string]>([
    ['in a form that we could read', '83 02 f6 a1 61 63 00'],
    ['in one that we could not', '84 02 d90111 f7 ff'],
    ['far ahead', '83 17 00 00'],
  ])('a later format %s, and says to upgrade', async (_, bytes) => {
    const error = await caught(() => decodeEnvelope(unhex(bytes)))
    expect(error.code).toBe('unsupported')
    expect(error.message).toMatch(/^This record has format (2|23); this version reads 1\. Upgrade Keepsake\.$/)
  })

  it('or reads, but never fails otherwise, for any damage to a record', () => {
    const rec = bytesOf(golden[1]![2])
    fc.assert(
      fc.property(fc.nat({ max: rec.length - 1 }), fc.nat({ max: 255 }), (at, byte) => {
        const damaged = rec.with(at, byte)
        try {
          decodeEnvelope(damaged)
        } catch (error) {
          expect(error).toMatchObject({ name: 'KeepsakeError' })
        }
      }),
      { numRuns: 5000 },
    )
  })
})

describe('peekEnvelope', () => {
  it.each(golden)('reads %s without its value', (_, envelope, bytes) => {
    const { value: _value, ...meta } = envelope
    expect(peekEnvelope(unhex(bytes.replaceAll(/--.*$/gm, '')))).toEqual(meta)
  })

  it('gives what decodeEnvelope gives, for any value, and nothing for bytes that are cut or followed by others', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.string(), { maxLength: 3 }), (json, owner) => {
        const rec = encodeEnvelope({ value: normalise(json, 'value'), createdAtMs: 7, owner })
        const { value: _value, ...meta } = decodeEnvelope(rec)
        expect(peekEnvelope(rec)).toEqual(meta)
        for (let length = 0; length < rec.length; length++)
          expect(peekEnvelope(rec.subarray(0, length))).toBeUndefined()
        expect(peekEnvelope(Uint8Array.of(...rec, 0))).toBeUndefined()
      }),
    )
  })

  it.each([
    '',
    '01',
    '8302f6a1616300',
    '83',
    '8301',
    '8301ff',
    '83015bffffffffffffffff',
    '8301a163',
    '8301f6a0',
    'fe01',
  ])('takes %s for no envelope', (bytes) => expect(peekEnvelope(unhex(bytes))).toBeUndefined())
})
