import { expect, test } from 'vitest'
import { entitiesIn, idOf, rowKeyOf, rowsOf } from '../src/row-keys.ts'

test('a row key is entity, U+0000 and key, and gives them back, empty ones too', () => {
  for (const [entity, key] of [
    ['e', 'k'],
    ['', ''],
    ['', 'k'],
    ['e', ''],
    ['\u{10FFFF}', 'k\u0001'],
  ] as const) {
    expect(rowKeyOf({ entity, key })).toBe(`${entity}\0${key}`)
    expect(idOf(`${entity}\0${key}`)).toEqual({ entity, key })
  }
})

test('all rows of an entity lie between U+0000 and U+0001 after it', () => {
  expect(rowsOf('e', {})).toEqual({ from: { rowKey: 'e\0', inclusive: true }, end: 'e\u0001' })
})

test('a prefix ends before the next character, at the end of Unicode with the entity', () => {
  expect(rowsOf('e', { prefix: 'ab' })).toEqual({ from: { rowKey: 'e\0ab', inclusive: true }, end: 'e\0ac' })
  expect(rowsOf('e', { prefix: '\u{10FFFF}' })).toEqual({
    from: { rowKey: 'e\0\u{10FFFF}', inclusive: true },
    end: 'e\u0001',
  })
})

test('a cursor before the prefix changes nothing, one inside begins after it, one behind leaves nothing', () => {
  expect(rowsOf('e', { prefix: 'b', after: 'a' })).toEqual({ from: { rowKey: 'e\0b', inclusive: true }, end: 'e\0c' })
  expect(rowsOf('e', { prefix: 'b', after: 'b' })).toEqual({ from: { rowKey: 'e\0b', inclusive: false }, end: 'e\0c' })
  expect(rowsOf('e', { prefix: 'b', after: 'bz' })).toEqual({
    from: { rowKey: 'e\0bz', inclusive: false },
    end: 'e\0c',
  })
  expect(rowsOf('e', { prefix: 'b', after: 'c' })).toBeUndefined()
})

test('entities after one begin behind all of its rows', () => {
  expect(entitiesIn({})).toEqual({})
  expect(entitiesIn({ after: '' })).toEqual({ from: { rowKey: '\u0001', inclusive: true } })
  expect(entitiesIn({ prefix: 'b' })).toEqual({ from: { rowKey: 'b', inclusive: true }, end: 'c' })
  expect(entitiesIn({ prefix: 'b', after: 'a' })).toEqual({ from: { rowKey: 'b', inclusive: true }, end: 'c' })
  expect(entitiesIn({ prefix: 'b', after: 'ba' })).toEqual({ from: { rowKey: 'ba\u0001', inclusive: true }, end: 'c' })
  expect(entitiesIn({ prefix: 'b', after: 'c' })).toBeUndefined()
})
