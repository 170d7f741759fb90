import { expect, test } from 'vitest'
import { decodeRow, encodeRow } from '../src/stored-row.ts'

const row = { entity: 'e', key: 'k', seq: 7, rec: Uint8Array.of(1, 2), updatedAtMs: 5 }

test('a record lies behind 24 bytes of doubles', () => {
  const { record, ...rest } = encodeRow({ ...row, expiresAtMs: 6 })
  expect(rest).toEqual({ entity: 'e', key: 'k', seq: '7', guard: 'm' })
  // IEEE 754: 7 is 1.75 * 2^2, 5 is 1.25 * 2^2, 6 is 1.5 * 2^2.
  const parts = [
    [0, 8],
    [8, 16],
    [16, 24],
    [24, 26],
  ].map(([from, to]) => record.toString('hex', from, to))
  expect(parts).toEqual(['401c000000000000', '4014000000000000', '4018000000000000', '0102'])
})

test('a row without an expiry has -1 there, and none when it is read', () => {
  const { record } = encodeRow(row)
  expect(record.subarray(16, 24).toString('hex')).toBe('bff0000000000000')
  expect(decodeRow('e', 'k', record)).toStrictEqual(row)
})

test.each([
  ['the largest numbers', { ...row, seq: 2 ** 53 - 1 - 2 ** 40, updatedAtMs: Number.MAX_SAFE_INTEGER }],
  ['zeros', { ...row, seq: 0, updatedAtMs: 0, expiresAtMs: 0 }],
  ['a tombstone', { ...row, rec: new Uint8Array(0) }],
])('%s come back as they were', (_what, written) => {
  const { record } = encodeRow(written)
  // As ioredis gives it: a part of what the socket read.
  const read = Buffer.concat([Buffer.from('$'), record, Buffer.from('\r\n')]).subarray(1, -2)
  expect(decodeRow('e', 'k', read)).toStrictEqual(written)
})

test('what is changed after the call is not what is written', () => {
  const rec = Uint8Array.of(1)
  const { record } = encodeRow({ ...row, rec })
  rec[0] = 9
  expect(record.at(-1)).toBe(1)
})

test.each([
  ['monotonic', 'm'],
  ['absent', 'a'],
  [{ seq: 0 }, '0'],
  [{ seq: 2 ** 52 }, '4503599627370496'],
] as const)('the guard %j is %s', (guard, text) => {
  expect(encodeRow({ ...row, seq: 2 ** 52 + 1, guard }).guard).toBe(text)
})
