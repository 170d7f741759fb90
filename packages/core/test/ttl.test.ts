import { describe, expect, it } from 'vitest'
import { checkTtl } from '../src/ttl.ts'
import { caught } from './caught.ts'

describe('checkTtl', () => {
  it.each([undefined, 1, 60_000, 8.64e15])('takes %s', (ttlMs) => {
    checkTtl(ttlMs)
  })

  it.each<[unknown, string]>([
    [0, '0'],
    [-1, '-1'],
    [0.5, '0.5'],
    [Number.NaN, 'NaN'],
    [Infinity, 'Infinity'],
    [8.64e15 + 2, '8640000000000002'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['60', 'a string'],
    [null, 'null'],
    [new Date(0), 'a Date'],
  ])('refuses %s', async (ttlMs, shown) => {
    const error = await caught(() => checkTtl(ttlMs as number))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toBe(
      `ttlMs must be a whole number of milliseconds from 1 to 8640000000000000; it is ${shown}. Leave it out to keep for ever.`,
    )
  })
})
