import { normalise } from '../../src/index.ts'
import { any, cycle, HALF, type Hostile } from './hostile.ts'

let deep: unknown = 1
for (let i = 0; i < 10_000; i++) deep = [deep]

export const values: Hostile[] = (
  [
    ['undefined', undefined, 'value is undefined; only JSON values and Uint8Array can be stored'],
    ['NaN', { n: Number.NaN }, 'value.n is NaN; JSON has no such number'],
    ['Infinity', [Infinity], 'value[0] is Infinity'],
    ['a BigInt', 1n, 'value is a bigint'],
    ['a function', { f: () => 0 }, 'value.f is a function'],
    ['a symbol', Symbol('s'), 'value is a symbol'],
    ['a Date', { at: new Date(0) }, 'value.at is a Date; store plain data: a Date as its toISOString()'],
    ['a Map', new Map(), 'value is a Map'],
    ['a Set', { a: [new Set()] }, 'value.a[0] is a Set'],
    ['a RegExp', /x/, 'value is a RegExp'],
    ['an Error', new Error('x'), 'value is a Error'],
    ['a Promise', Promise.resolve(1), 'value is a Promise'],
    [
      'a class instance',
      new (class Invoice {
        total = 1
      })(),
      'value is a Invoice',
    ],
    ['a Float64Array', new Float64Array(1), 'value is a Float64Array'],
    ['a hole in a list', Object.assign([], { length: 1 }), 'value[0] is undefined'],
    ['a cycle', cycle, 'value.self refers back to a value that contains it; break the cycle'],
    ['10,000 levels', deep, 'is nested deeper than 500 levels; flatten it'],
    ['half of an emoji in a key', { [HALF]: 1 }, 'value has a key with half of a surrogate pair'],
    [
      'a getter that throws',
      {
        get a() {
          throw new Error('x')
        },
      },
      'value could not be read: a getter or a proxy in it threw',
    ],
  ] as const
).flatMap(([what, value, message]): Hostile[] => [
  [`put: ${what}`, ({ notes }) => notes.put(['k'], value), 'invalid_value', message],
  [
    `update to ${what}`,
    ({ notes }) => notes.update(['k'], () => value ?? any(Number.NaN)),
    'invalid_value',
    value === undefined ? 'value is NaN' : message,
  ],
  [
    `putMany: ${what}`,
    ({ notes }) =>
      notes.putMany([
        { key: ['k'], value: 1 },
        { key: ['l'], value },
      ]),
    'invalid_value',
    message.startsWith('value') ? `entries[1].${message}` : message,
  ],
  [`normalise: ${what}`, () => normalise(value, 'value'), 'invalid_value', message],
])
