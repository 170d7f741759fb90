import { describe, expect, it } from 'vitest'
import { compileFilter, type Filter } from '../src/records/filter.ts'
import { caught } from './caught.ts'

const ada = {
  name: 'Ada',
  age: 36,
  born: '1815-12-10',
  tags: ['math', 'engines'],
  address: { city: 'London', zip: null },
  active: true,
  data: Uint8Array.of(1, 2),
  '': 'empty key',
  list: [{ a: 1 }, { a: 2 }],
}

const holds = (filter: unknown, value: unknown = ada): boolean => compileFilter(filter as Filter)(value)

describe('a filter holds or not', () => {
  it.each<[unknown, boolean]>([
    [{}, true],
    // A plain value is $eq.
    [{ name: 'Ada' }, true],
    [{ name: 'ada' }, false],
    [{ name: 'Ada', age: 36 }, true],
    [{ name: 'Ada', age: 37 }, false],
    [{ age: '36' }, false],
    [{ active: true }, true],
    [{ active: 1 }, false],
    [{ tags: ['math', 'engines'] }, true],
    [{ tags: ['engines', 'math'] }, false],
    [{ tags: 'math' }, false],
    [{ address: { city: 'London', zip: null } }, true],
    [{ address: { zip: null, city: 'London' } }, true],
    [{ address: { city: 'London' } }, false],
    [{ address: {} }, false],
    [{ address: [] }, false],
    [{ '': 'empty key' }, true],
    // Paths.
    [{ 'address.city': 'London' }, true],
    [{ 'address.zip': null }, true],
    [{ 'address.street': null }, false],
    [{ 'tags.0': 'math' }, true],
    [{ 'tags.2': 'math' }, false],
    [{ 'tags.-1': 'engines' }, false],
    [{ 'list.1.a': 2 }, true],
    [{ 'name.0': 'A' }, false],
    [{ 'name.length': 3 }, false],
    [{ 'tags.length': 2 }, false],
    [{ 'address.city.x': 'London' }, false],
    [{ 'data.0': 1 }, false],
    [{ "a' OR 1=1 --": 'x' }, false],
    // Operators.
    [{ age: { $eq: 36 } }, true],
    [{ age: { $eq: 35 } }, false],
    [{ missing: { $eq: null } }, false],
    [{ age: { $ne: 35 } }, true],
    [{ age: { $ne: 36 } }, false],
    [{ missing: { $ne: 36 } }, true],
    [{ address: { $eq: { city: 'London', zip: null } } }, true],
    [{ age: { $gt: 35 } }, true],
    [{ age: { $gt: 36 } }, false],
    [{ age: { $gte: 36 } }, true],
    [{ age: { $gte: 36.5 } }, false],
    [{ age: { $lt: 37 } }, true],
    [{ age: { $lt: 36 } }, false],
    [{ age: { $lte: 36 } }, true],
    [{ age: { $lte: -1 } }, false],
    [{ age: { $gt: 30, $lt: 40 } }, true],
    [{ age: { $gt: 30, $lt: 36 } }, false],
    [{ age: { $gt: '30' } }, false],
    [{ name: { $gt: 5 } }, false],
    [{ missing: { $gt: 0 } }, false],
    [{ missing: { $lte: 0 } }, false],
    [{ active: { $gt: 0 } }, false],
    [{ 'address.zip': { $lt: 1 } }, false],
    [{ name: { $in: ['Bob', 'Ada'] } }, true],
    [{ name: { $in: ['Bob'] } }, false],
    [{ name: { $in: [] } }, false],
    [{ missing: { $in: [null] } }, false],
    [{ 'address.zip': { $in: [null] } }, true],
    [{ tags: { $in: [['math', 'engines']] } }, true],
    [{ name: { $nin: ['Bob'] } }, true],
    [{ name: { $nin: ['Bob', 'Ada'] } }, false],
    [{ name: { $nin: [] } }, true],
    [{ missing: { $nin: [null] } }, true],
    [{ name: { $exists: true } }, true],
    [{ name: { $exists: false } }, false],
    [{ 'address.zip': { $exists: true } }, true],
    [{ missing: { $exists: false } }, true],
    [{ 'missing.deeper': { $exists: true } }, false],
    // Together.
    [{ $and: [{ name: 'Ada' }, { age: 36 }] }, true],
    [{ $and: [{ name: 'Ada' }, { age: 37 }] }, false],
    [{ $and: [] }, true],
    [{ $or: [{ name: 'Bob' }, { age: 36 }] }, true],
    [{ $or: [{ name: 'Bob' }, { age: 37 }] }, false],
    [{ $or: [] }, false],
    [{ $not: { name: 'Bob' } }, true],
    [{ $not: {} }, false],
    [{ $not: { missing: 'x' } }, true],
    [{ $and: [{ $or: [{ name: 'Bob' }, { $not: { age: 1 } }] }], name: 'Ada' }, true],
    [{ $or: [{ name: 'Ada' }], name: 'Bob' }, false],
  ])('%j: %s', (filter, expected) => {
    expect(holds(filter)).toBe(expected)
  })

  it.each<[string, unknown, boolean]>([
    ['the first day of a range', { born: { $gte: '1815-12-10', $lt: '1815-12-11' } }, true],
    ['the day after', { born: { $gt: '1815-12-10' } }, false],
    ['a year', { born: { $gte: '1815', $lt: '1816' } }, true],
    ['another year', { born: { $gte: '1816-01-01T00:00:00Z' } }, false],
  ])('ISO dates are texts that compare: %s', (_, filter, expected) => {
    expect(holds(filter)).toBe(expected)
  })

  it.each<[unknown, unknown, boolean]>([
    [{ a: { $lt: '\u{1F600}' } }, { a: '\uFF5E' }, true],
    [{ a: { $gt: '\u{1F600}' } }, { a: '\uFF5E' }, false],
  ])('texts compare by code points: %j on %j', (filter, value, expected) => {
    expect(holds(filter, value)).toBe(expected)
  })

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', '__proto__.toString', 'address.constructor'])(
    'what an object inherits is a missing path: %s',
    (path) => {
      const filter = JSON.parse(`{ ${JSON.stringify(path)}: { "$exists": true } }`) as Filter
      expect(holds(filter)).toBe(false)
    },
  )

  it('an own __proto__ is a path like any other', () => {
    const value: unknown = JSON.parse('{ "__proto__": { "a": 1 } }')
    expect(holds(JSON.parse('{ "__proto__.a": 1 }'), value)).toBe(true)
  })

  it.each([null, 5, 'text', [], [1], Uint8Array.of(1)])('the value may be no object: %j', (value) => {
    expect(holds({}, value)).toBe(true)
    expect(holds({ a: 1 }, value)).toBe(false)
    expect(holds({ a: { $exists: false } }, value)).toBe(true)
  })

  it('a list is addressed by position', () => {
    expect(holds({ '0': 'a' }, ['a'])).toBe(true)
  })

  it('bytes equal the same bytes, and nothing that looks like them', () => {
    expect(holds({ data: Uint8Array.of(1, 2) })).toBe(true)
    expect(holds({ data: Uint8Array.of(1, 3) })).toBe(false)
    expect(holds({ data: { '0': 1, '1': 2 } })).toBe(false)
    expect(holds({ data: [1, 2] })).toBe(false)
    expect(holds({ a: Uint8Array.of(1) }, { a: { '0': 1 } })).toBe(false)
  })

  it('an operand is compared in the form in which values are stored', () => {
    expect(holds({ a: { b: 1, c: undefined } }, { a: { b: 1 } })).toBe(true)
    expect(holds({ a: new URL('https://example.com') }, { a: 'https://example.com/' })).toBe(true)
  })

  it('is compiled once: what the caller changes later has no effect', () => {
    const operand = ['math']
    const test = compileFilter({ tags: operand })
    operand.push('engines')
    expect(test({ tags: ['math'] })).toBe(true)
    expect(test(ada)).toBe(false)
  })

  it('a value with operators as keys is compared through $eq', () => {
    expect(holds({ a: { $eq: { $gt: 5 } } }, { a: { $gt: 5 } })).toBe(true)
  })
})

describe('a filter that means nothing is refused', () => {
  it.each<[unknown, string]>([
    [null, 'filter must be an object; it is null.'],
    ['name', 'filter must be an object; it is a string.'],
    [[{ name: 'Ada' }], 'filter must be an object; it is an array.'],
    [Uint8Array.of(), 'filter must be an object; it is a Uint8Array.'],
    [new URL('https://example.com'), 'filter must be an object; it is a URL.'],
    [new Date(0), 'filter is a Date'],
    [new Map([['name', 'Ada']]), 'filter is a Map'],
    [() => true, 'filter is a function'],
    [{ name: undefined }, 'filter.name is undefined; use { $exists: false } to ask for a missing path.'],
    [{ name: new Date(0) }, 'filter.name is a Date'],
    [{ name: /a/ }, 'filter.name is a RegExp'],
    [{ age: Number.NaN }, 'filter.age is NaN'],
    [{ age: { $gt: Number.NaN } }, 'filter.age.$gt is NaN'],
    [{ age: 1n }, 'filter.age is a bigint'],
    [{ age: { $eq: undefined } }, 'filter.age.$eq is undefined; give it a JSON value.'],
    [{ age: { $gt: undefined } }, 'filter.age.$gt is undefined'],
    [{ age: { $gt: null } }, 'filter.age.$gt must be a number or a text; it is null.'],
    [{ age: { $gt: [1] } }, 'filter.age.$gt must be a number or a text; it is an array.'],
    [{ age: { $lt: true } }, 'filter.age.$lt must be a number or a text; it is a boolean.'],
    [{ age: { $lt: Infinity } }, 'filter.age.$lt is Infinity'],
    [{ age: { $in: 5 } }, 'filter.age.$in must be a list of values; it is a number.'],
    [{ age: { $in: [undefined] } }, 'filter.age.$in[0] is undefined'],
    [{ age: { $nin: { a: 1 } } }, 'filter.age.$nin must be a list of values; it is an object.'],
    [{ age: { $exists: 'yes' } }, 'filter.age.$exists must be true or false; it is a string.'],
    [{ age: { $regex: 'a' } }, 'filter.age.$regex is no operator; known are $eq, $ne, $gt, $gte, $lt, $lte, $in'],
    [{ age: { $GT: 1 } }, 'filter.age.$GT is no operator'],
    [{ age: { $gt: 1, max: 2 } }, 'filter.age mixes operators with other keys'],
    [{ $where: 'true' }, 'filter.$where is no operator; here are $and, $or and $not, or a path.'],
    [{ $eq: 5 }, 'filter.$eq is no operator'],
    [{ $and: { name: 'Ada' } }, 'filter.$and must be a list of filters; it is an object.'],
    [{ $and: [null] }, 'filter.$and[0] must be an object; it is null.'],
    [{ $or: [{ name: undefined }] }, 'filter.$or[0].name is undefined'],
    [{ $or: [new Date(0)] }, 'filter.$or[0] is a Date'],
    [{ $not: [] }, 'filter.$not must be an object; it is an array.'],
    [{ $not: undefined }, 'filter.$not is undefined'],
    [{ $and: [{ $or: [{ a: { $foo: 1 } }] }] }, 'filter.$and[0].$or[0].a.$foo is no operator'],
  ])('%o', async (filter, message) => {
    const error = await caught(() => compileFilter(filter as Filter))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toContain(message)
  })

  it('also where it is nested without end', async () => {
    let filter: Filter = {}
    for (let i = 0; i < 100_000; i++) filter = { $not: filter }
    expect((await caught(() => compileFilter(filter))).message).toContain('nested deeper than 500 levels')
  })
})
