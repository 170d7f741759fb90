import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkLimit, decodeCursor, encodeCursor } from '../src/cursor.ts'
import { caught } from './caught.ts'

describe('cursors', () => {
  it.each([
    ['', ''],
    ['a', 'YQ'],
    ['ab\u0001', 'YWIB'],
    // 0xFB 0xEF 0xBF is no UTF-8; these are: E2 88 BE gives +, F0 9F 98 BF gives /.
    ['∾', '4oi-'],
    ['r\u0001😿\u0001', 'cgHwn5i_AQ'],
  ])('%j is %j, and back', (position, cursor) => {
    expect(encodeCursor(position)).toBe(cursor)
    expect(decodeCursor(cursor, '')).toBe(position)
  })

  it('pass through a URL and round trip any well-formed text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed() && !text.includes('\0')),
        (position) => {
          const cursor = encodeCursor(position)
          expect(new URLSearchParams({ cursor }).toString()).toBe(`cursor=${cursor}`)
          expect(decodeCursor(cursor, position.slice(0, 0))).toBe(position)
        },
      ),
    )
  })

  it('keep a byte-order mark at the front', () => {
    expect(decodeCursor(encodeCursor('\uFEFFa'), '')).toBe('\uFEFFa')
  })

  it('of 100,000 characters are no problem', () => {
    const position = 'é'.repeat(100_000)
    expect(decodeCursor(encodeCursor(position), '')).toBe(position)
  })

  it.each<[string, unknown]>([
    ['no base64', '%%%'],
    ['a letter too many', 'YWIBa'],
    ['padding', 'YQ=='],
    ['white space', ' YQ'],
    ['the other alphabet', '4oi+'],
    ['bits that say nothing', 'YR'],
    ['bytes that are no UTF-8', '_w'],
    ['U+0000', 'AA'],
    ['a number', 5],
    ['null', null],
    ['a position of another list', encodeCursor('b\u0001x')],
    ['nothing', ''],
  ])('refuse %s', async (_, cursor) => {
    const error = await caught(() => decodeCursor(cursor as string, 'a\u0001'))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toBe('cursor is not one that a page of this list gave; start without one.')
  })
})

describe('checkLimit', () => {
  it('is 20 where it is left out', () => {
    expect(checkLimit(undefined)).toBe(20)
    expect(checkLimit(1)).toBe(1)
    expect(checkLimit(1_000_000)).toBe(1_000_000)
  })

  it.each<[unknown, string]>([
    [0, '0'],
    [-1, '-1'],
    [0.5, '0.5'],
    [Number.NaN, 'NaN'],
    [Infinity, 'Infinity'],
    ['5', 'a string'],
    [null, 'null'],
  ])('refuses %j', async (limit, shown) => {
    expect((await caught(() => checkLimit(limit as number))).message).toBe(
      `limit must be a whole number from 1; it is ${shown}.`,
    )
  })
})
