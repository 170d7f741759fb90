import { expect, it } from 'vitest'
import { formatBytes, formatCount, formatTime } from '../src/quantities.ts'

it.each<[bytes: number, text: string]>([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [1449, '1.4 kB'],
  [99_949, '99.9 kB'],
  [123_456, '123 kB'],
  [999_999, '1.0 MB'],
  [4_194_304, '4.2 MB'],
  [5_000_000_000_000, '5000 GB'],
])('formatBytes(%d) is %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

it.each<[ms: number, text: string]>([
  [0, '1970-01-01 00:00:00Z'],
  [1_704_067_201_999, '2024-01-01 00:00:01Z'],
  [Number.MAX_SAFE_INTEGER, '9007199254740991 ms'],
])('formatTime(%d) is %s', (ms, text) => {
  expect(formatTime(ms)).toBe(text)
})

it('formatCount has both numbers of the noun', () => {
  expect([formatCount(1, 'row'), formatCount(0, 'row'), formatCount(12_345, 'entity', 'entities')]).toEqual([
    '1 row',
    '0 rows',
    '12,345 entities',
  ])
})
