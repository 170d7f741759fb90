import { createContext, runInContext } from 'node:vm'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_DEPTH, normalise } from '../src/values/normalise.ts'
import { caught } from './caught.ts'

/** Evaluates an expression in another realm: its `Object`, `Array` and so on are not this one's. */
const foreign = (expression: string): unknown => runInContext(expression, createContext({}))

function nested(levels: number): unknown {
  let value: unknown = 'core'
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}

describe('what can be stored', () => {
  it.each<[string, unknown, unknown]>([
    ['null', null, null],
    ['booleans', [true, false], [true, false]],
    ['numbers', [0, 1.5, -1e300, 5e-324, 2 ** 53], [0, 1.5, -1e300, 5e-324, 2 ** 53]],
    ['texts', ['', 'a', '\0', '😀'], ['', 'a', '\0', '😀']],
    ['half of a surrogate pair, in a value', 'cut \uD83D', 'cut \uD83D'],
    ['objects', { a: { b: [1] } }, { a: { b: [1] } }],
    ['undefined keys, which are left out', { a: undefined, b: 1 }, { b: 1 }],
    ['objects without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['frozen values', Object.freeze({ a: Object.freeze([1]) }), { a: [1] }],
    ['the same value twice', ((shared) => [shared, shared])({ a: 1 }), [{ a: 1 }, { a: 1 }]],
    ['a URL, as its text', new URL('https://example.com/a b'), 'https://example.com/a%20b'],
    ['bytes', { data: Uint8Array.of(1, 2) }, { data: Uint8Array.of(1, 2) }],
    ['a view into a larger buffer', new Uint8Array(Uint8Array.of(9, 1, 2, 9).buffer, 1, 2), Uint8Array.of(1, 2)],
    ['an ArrayBuffer', Uint8Array.of(1, 2).buffer, Uint8Array.of(1, 2)],
    ['symbol keys, which are left out', { a: 1, [Symbol('s')]: 2 }, { a: 1 }],
    [
      'getters, as what they give',
      {
        get a() {
          return 1
        },
      },
      { a: 1 },
    ],
    ['objects of another realm', foreign('({ a: [1, { b: null }] })'), { a: [1, { b: null }] }],
    ['bytes of another realm', foreign('Uint8Array.of(1, 2)'), Uint8Array.of(1, 2)],
    ['a buffer of another realm', foreign('Uint8Array.of(1, 2).buffer'), Uint8Array.of(1, 2)],
    ['what only calls itself a buffer', { [Symbol.toStringTag]: 'ArrayBuffer', a: 1 }, { a: 1 }],
    [
      'data shaped like an error or a class',
      { name: 'Error', constructor: 'x', toJSON: 1 },
      { name: 'Error', constructor: 'x', toJSON: 1 },
    ],
  ])('%s', (_, value, expected) => {
    expect(normalise(value, 'value')).toStrictEqual(expected)
  })

  it('keeps -0', () => {
    expect(Object.is(normalise(-0, 'value'), -0)).toBe(true)
  })

  it('makes a Node Buffer plain bytes, of its own', () => {
    const buffer = Buffer.from('abc')
    const stored = normalise(buffer, 'value') as Uint8Array
    expect(Object.getPrototypeOf(stored)).toBe(Uint8Array.prototype)
    buffer[0] = 0
    expect(stored).toEqual(Uint8Array.of(97, 98, 99))
  })

  it('copies: what the caller changes later is not changed here', () => {
    const value = { list: [1], bytes: Uint8Array.of(1), buffer: new ArrayBuffer(1) }
    const stored = normalise(value, 'value')
    value.list.push(2)
    value.bytes[0] = 9
    new Uint8Array(value.buffer)[0] = 9
    expect(stored).toEqual({ list: [1], bytes: Uint8Array.of(1), buffer: Uint8Array.of(0) })
  })

  it('takes __proto__ as the ordinary name that it is', () => {
    const value: unknown = JSON.parse('{ "__proto__": { "polluted": true }, "a": { "__proto__": 1 } }')
    const stored = normalise(value, 'value') as Record<string, unknown>
    expect(Object.getPrototypeOf(stored)).toBe(Object.prototype)
    expect(JSON.stringify(stored)).toBe('{"__proto__":{"polluted":true},"a":{"__proto__":1}}')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it(`takes ${MAX_DEPTH} levels`, () => {
    expect(normalise(nested(500), 'value')).toEqual(nested(500))
  })

  it('changes nothing the second time', () => {
    const anything = fc.anything({
      withBigInt: false,
      withDate: false,
      withMap: false,
      withSet: false,
      withTypedArray: false,
    })
    fc.assert(
      fc.property(anything, (value) => {
        let once: unknown
        try {
          once = normalise(value, 'value')
        } catch {
          return
        }
        expect(normalise(once, 'value')).toStrictEqual(once)
      }),
      { numRuns: 2000 },
    )
  })

  it('takes every JSON value as it is', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text)
        expect(JSON.stringify(normalise(value, 'value'))).toBe(JSON.stringify(value))
      }),
    )
  })
})

class Invoice {
  total = 1
}

const cycle: { self?: object } = {}
cycle.self = { again: [cycle] }

describe('what is refused, with its path', () => {
  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'value is undefined; only JSON values and Uint8Array can be stored'],
    ['undefined in a list', { a: [1, undefined] }, 'value.a[1] is undefined'],
    ['a hole in a list', [1, , 3], 'value[1] is undefined'], // oxlint-disable-line no-sparse-arrays -- what is tested
    ['a huge sparse list', Object.assign([], { length: 2 ** 32 - 1 }), 'value[0] is undefined'],
    ['a function', { a: { b: () => 0 } }, 'value.a.b is a function'],
    ['a symbol', [Symbol('s')], 'value[0] is a symbol'],
    ['a BigInt', { n: 1n }, 'value.n is a bigint'],
    ['NaN', [[Number.NaN]], 'value[0][0] is NaN; JSON has no such number: store null or a text'],
    ['Infinity', Infinity, 'value is Infinity'],
    ['-Infinity', { 'a b': -Infinity }, 'value["a b"] is -Infinity'],
    ['a Date', { at: new Date(0) }, 'value.at is a Date; store plain data: a Date as its toISOString()'],
    ['an invalid Date', new Date(Number.NaN), 'value is a Date'],
    ['a Map', new Map([['a', 1]]), 'value is a Map'],
    ['a Set', { a: new Set() }, 'value.a is a Set'],
    ['a WeakMap', new WeakMap(), 'value is a WeakMap'],
    ['a RegExp', /a/, 'value is a RegExp'],
    ['an Error', new TypeError('secret'), 'value is a TypeError'],
    ['a Promise', Promise.resolve(1), 'value is a Promise'],
    ['a boxed text', Object('a'), 'value is a String'],
    ['a class instance', { invoice: new Invoice() }, 'value.invoice is a Invoice'],
    ['a subclass of Array', new (class Stack extends Array {})(), 'value is a Stack'],
    ['an object that inherits', Object.create({ a: 1 }), 'value is an object'],
    ['a Float32Array', new Float32Array(1), 'value is a Float32Array'],
    ['a Uint8ClampedArray', new Uint8ClampedArray(1), 'value is a Uint8ClampedArray'],
    ['a DataView', new DataView(new ArrayBuffer(1)), 'value is a DataView'],
    ['a SharedArrayBuffer', new SharedArrayBuffer(1), 'value is a SharedArrayBuffer'],
    ['a Blob', new Blob([]), 'value is a Blob'],
    ['a Date of another realm', foreign('new Date(0)'), 'value is a Date'],
    ['a Map of another realm', foreign('new Map()'), 'value is a Map'],
    ['a cycle', { a: cycle }, 'value.a.self.again[0] refers back to a value that contains it; break the cycle'],
    ['501 levels', nested(501), 'is nested deeper than 500 levels; flatten it'],
    ['half of a surrogate pair in a key', { a: { '\uD83D': 1 } }, 'value.a has a key with half of a surrogate pair'],
    [
      'a getter that throws',
      {
        get a() {
          throw new TypeError('secret')
        },
      },
      'value could not be read: a getter or a proxy in it threw',
    ],
    [
      'a proxy that was revoked',
      ((made) => (made.revoke(), made.proxy))(Proxy.revocable({}, {})),
      'value could not be read',
    ],
  ])('%s', async (_, value, message) => {
    const error = await caught(() => normalise(value, 'value'))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toContain(message)
    expect(error.message).toContain('Nothing was written.')
    expect(error.message).not.toContain('secret')
  })

  it('names keys as code would', async () => {
    const error = await caught(() => normalise({ a: { 'b c': [{ $d_1: 1n }] } }, 'entries[2].value'))
    expect(error.details).toEqual({ path: 'entries[2].value.a["b c"][0].$d_1' })
  })

  it('ends where few objects make many values', async () => {
    let value: unknown[] = [0]
    for (let level = 0; level < 26; level++) value = [value, value]
    const error = await caught(() => normalise(value, 'value'))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toContain(' comes after 1000000 other values; store less, and no value many times in one.')
    // The list itself is a value too.
    expect(normalise(Array(999_999).fill(0), 'value')).toHaveLength(999_999)
  })

  it('does not repeat an endless key', async () => {
    const error = await caught(() => normalise({ ['k'.repeat(100_000)]: 1n }, 'value'))
    expect(error.message.length).toBeLessThan(400)
  })
})
