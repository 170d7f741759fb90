import { describe, expect, it } from 'vitest'
import { checkEntity, checkRange, checkRowIds, checkRowWrites } from '../src/rows/row-checks.ts'
import { MAX_REC_BYTES, MAX_SEQ, type Range, type RowId, type RowWrite } from '../src/rows/row-store.ts'
import { caughtAs } from './caught.ts'

const limits = { maxRecBytes: 8, maxBatchRows: 10, atomicBatch: true }
const row: RowWrite = { entity: 'e', key: 'k', seq: 5, rec: Uint8Array.of(1), updatedAtMs: 1_700_000_000_000 }
const seqRange = `a whole number from 0 to ${MAX_SEQ}`

describe('limits of the contract', () => {
  it('are these numbers', () => {
    expect(MAX_SEQ).toBe(9_006_099_743_113_215)
    expect(MAX_REC_BYTES).toBe(4_194_304)
  })
})

describe('checkEntity', () => {
  it.each(['', 'a', '%', '__proto__', '😀'.repeat(128), 'x'.repeat(512)])('takes %j', (entity) => {
    checkEntity(entity)
  })

  it.each([
    [undefined, 'invalid_key: entity must be a string; it is undefined.'],
    [5, 'invalid_key: entity must be a string; it is a number.'],
    ['\0', 'invalid_key: entity holds U+0000, which rows do not allow.'],
    ['a\uD83D', 'invalid_key: entity holds half of a surrogate pair'],
    ['x'.repeat(513), 'invalid_key: entity has 513 bytes in UTF-8; at most 512 are allowed.'],
    ['😀'.repeat(129), 'invalid_key: entity has 516 bytes in UTF-8; at most 512 are allowed.'],
  ])('refuses %#', async (entity, message) => {
    expect(await caughtAs(() => checkEntity(entity))).toContain(message)
  })
})

describe('checkRowIds', () => {
  it.each([
    [[]],
    [[{ entity: '', key: '' }]],
    [
      [
        { entity: 'e', key: 'x'.repeat(1024), seq: 0 },
        { entity: 'e', key: 'k', seq: MAX_SEQ },
      ],
    ],
  ])('takes %#', (ids) => {
    checkRowIds(ids)
  })

  it.each<[unknown, string]>([
    [undefined, 'invalid_value: ids must be an array; it is undefined.'],
    [{ length: 1 }, 'invalid_value: ids must be an array; it is an object.'],
    [[null], 'invalid_value: ids[0] must be an object; it is null.'],
    [['e'], 'invalid_value: ids[0] must be an object; it is a string.'],
    [[{ entity: 'e', key: 'k' }, { entity: 'e' }], 'invalid_key: ids[1].key must be a string; it is undefined.'],
    [[{ entity: 'x'.repeat(513), key: 'k' }], 'invalid_key: ids[0].entity has 513 bytes'],
    [[{ entity: 'e', key: 'x'.repeat(1025) }], 'invalid_key: ids[0].key has 1025 bytes in UTF-8; at most 1024'],
    [[{ entity: 'e', key: 'k', seq: -1 }], `invalid_value: ids[0].seq must be ${seqRange}; it is -1.`],
    [[{ entity: 'e', key: 'k', seq: null }], `invalid_value: ids[0].seq must be ${seqRange}; it is null.`],
  ])('refuses %#', async (ids, message) => {
    expect(await caughtAs(() => checkRowIds(ids as RowId[]))).toContain(message)
  })
})

describe('checkRange', () => {
  it.each<[Range]>([
    [{ limit: 1 }],
    [{ limit: Number.MAX_SAFE_INTEGER, prefix: '', after: '' }],
    [{ limit: 1, prefix: 'b', after: 'a' }],
  ])('takes %j', (range) => {
    checkRange(range)
  })

  it.each<[unknown, string]>([
    [undefined, 'invalid_value: range must be an object; it is undefined.'],
    [{}, 'invalid_value: range.limit must be a whole number from 1; it is undefined.'],
    [{ limit: 0 }, 'range.limit must be a whole number from 1; it is 0.'],
    [{ limit: -1 }, 'it is -1.'],
    [{ limit: 1.5 }, 'it is 1.5.'],
    [{ limit: Number.NaN }, 'it is NaN.'],
    [{ limit: Infinity }, 'it is Infinity.'],
    [{ limit: '5' }, 'it is a string.'],
    [{ limit: 1, prefix: 5 }, 'invalid_key: range.prefix must be a string; it is a number.'],
    [{ limit: 1, prefix: null }, 'invalid_key: range.prefix must be a string; it is null.'],
    [{ limit: 1, after: '\0' }, 'invalid_key: range.after holds U+0000'],
    [{ limit: 1, after: 'x'.repeat(1025) }, 'invalid_key: range.after has 1025 bytes'],
  ])('refuses %#', async (range, message) => {
    expect(await caughtAs(() => checkRange(range as Range))).toContain(message)
  })
})

describe('checkRowWrites', () => {
  it.each<[Partial<RowWrite>]>([
    [{}],
    [{ seq: 0 }],
    [{ seq: MAX_SEQ }],
    [{ rec: new Uint8Array() }],
    [{ rec: new Uint8Array(8) }],
    [{ rec: Buffer.from('abc') }],
    [{ updatedAtMs: 0, expiresAtMs: 0 }],
    [{ guard: 'monotonic' }],
    [{ guard: 'absent' }],
    [{ guard: { seq: 4 } }],
    [{ guard: { seq: 0 } }],
  ])('takes %j', (fields) => {
    checkRowWrites([{ ...row, ...fields }], limits)
  })

  it.each<[object, string]>([
    [{ entity: 5 }, 'invalid_key: rows[1].entity must be a string; it is a number.'],
    [{ key: undefined }, 'invalid_key: rows[1].key must be a string; it is undefined.'],
    [{ seq: undefined }, `invalid_value: rows[1].seq must be ${seqRange}; it is undefined.`],
    [{ seq: -0 }, `rows[1].seq must be ${seqRange}; it is 0.`],
    [{ seq: 1.5 }, 'it is 1.5.'],
    [{ seq: Number.NaN }, 'it is NaN.'],
    [{ seq: MAX_SEQ + 1 }, 'it is 9006099743113216.'],
    [{ seq: '5' }, 'it is a string.'],
    [{ seq: 5n }, 'it is a bigint.'],
    [{ updatedAtMs: -1 }, 'invalid_value: rows[1].updatedAtMs must be a whole number of Unix milliseconds; it is -1.'],
    [{ updatedAtMs: new Date(0) }, 'rows[1].updatedAtMs must be a whole number of Unix milliseconds; it is a Date.'],
    [
      { expiresAtMs: 0.5 },
      'invalid_value: rows[1].expiresAtMs must be a whole number of Unix milliseconds; it is 0.5.',
    ],
    [{ expiresAtMs: null }, 'rows[1].expiresAtMs must be a whole number of Unix milliseconds; it is null.'],
    [{ rec: 'abc' }, 'invalid_value: rows[1].rec must be a Uint8Array; it is a string.'],
    [{ rec: [1] }, 'rows[1].rec must be a Uint8Array; it is an array.'],
    [{ rec: new ArrayBuffer(1) }, 'rows[1].rec must be a Uint8Array; it is a ArrayBuffer.'],
    [
      { rec: new Uint8Array(9) },
      'too_large: rows[1].rec has 9 bytes; this store takes at most 8. Nothing was written.',
    ],
    [{ guard: 'present' }, "invalid_value: rows[1].guard must be 'monotonic', 'absent' or { seq }; it is a string."],
    [{ guard: null }, 'it is null.'],
    [{ guard: {} }, "must be 'monotonic', 'absent' or { seq }; it is an object."],
    [{ guard: { seq: -1 } }, `rows[1].guard.seq must be ${seqRange}; it is -1.`],
    [{ guard: { seq: 5 } }, 'rows[1].guard expects seq 5, so the new seq must be greater; it is 5.'],
    [{ guard: { seq: 6 } }, 'rows[1].guard expects seq 6, so the new seq must be greater; it is 5.'],
  ])('refuses %o in the second row', async (fields, message) => {
    const rows = [row, { ...row, ...fields }] as RowWrite[]
    expect(await caughtAs(() => checkRowWrites(rows, limits))).toContain(message)
  })

  it.each<[unknown, string]>([
    [null, 'invalid_value: rows must be an array; it is null.'],
    [[undefined], 'invalid_value: rows[0] must be an object; it is undefined.'],
  ])('refuses %j', async (rows, message) => {
    expect(await caughtAs(() => checkRowWrites(rows as RowWrite[], limits))).toContain(message)
  })
})
