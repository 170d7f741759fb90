import { encodeEnvelope, encodeTuple, MIGRATION_ENTITY, type Row, type StoreLimits } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { parseRow } from '../src/parse-row.ts'
import { exportedRow } from '../src/row-json.ts'
import { jsonLine } from '../src/safe-text.ts'
import { SEED_MS } from './keepsake.ts'

const LIMITS: StoreLimits = { maxRecBytes: 100, maxBatchRows: 1, atomicBatch: true }
const ROW: Row = {
  entity: encodeTuple(['a', '']),
  key: 'k',
  seq: 3,
  rec: encodeEnvelope({ value: { n: -0 }, createdAtMs: SEED_MS, owner: ['ada'] }),
  updatedAtMs: SEED_MS,
  expiresAtMs: SEED_MS + 1,
}
const LINE = exportedRow(ROW)

const parse = (line: unknown): Row => parseRow(Buffer.from(JSON.stringify(line)), LIMITS)

/** A change of a line, and what is said of it. */
const BAD: [what: string, change: (line: Record<string, any>) => unknown, problem: string][] = [
  ['text', () => 'hello', 'it is no row: a row is a JSON object.'],
  ['null', () => null, 'it is no row: a row is a JSON object.'],
  ['an array', () => [], 'it is no row: a row is a JSON object.'],
  ['no entity', (row) => ({ ...row, entity: undefined }), 'entity must be a string or an array of strings.'],
  ['another entity', (row) => ({ ...row, entity: ['a', 5] }), 'entity must be a string or an array of strings.'],
  ['half a character', (row) => ({ ...row, key: '\ud800' }), 'key holds half of a surrogate pair'],
  ['U+0000 in a name', (row) => ({ ...row, key: 'a\0' }), 'key holds U+0000, which rows do not allow.'],
  ['a name too long', (row) => ({ ...row, entity: 'x'.repeat(513) }), 'entity has 513 bytes in UTF-8'],
  ['no version', (row) => ({ ...row, seq: undefined }), 'seq must be a whole number from 0 to'],
  ['a version as text', (row) => ({ ...row, seq: '3' }), 'seq must be a whole number from 0 to'],
  ['no time', (row) => ({ ...row, updatedAtMs: undefined }), 'updatedAtMs must be a whole number of Unix milliseconds'],
  ['null for a time', (row) => ({ ...row, expiresAtMs: null }), 'expiresAtMs must be a whole number'],
  ['no record', (row) => ({ ...row, rec: undefined }), 'rec must be {"$bytes":"…"}'],
  ['no bytes', (row) => ({ ...row, rec: { $bytes: 5 } }), 'rec must be {"$bytes":"…"}'],
  ['no base64', (row) => ({ ...row, rec: { $bytes: 'a-_b' } }), 'rec must be {"$bytes":"…"}'],
  [
    'a record too large',
    (row) => ({ ...row, rec: { $bytes: 'AAAA'.repeat(34) } }),
    'rec has 102 bytes; this store takes at most 100.',
  ],
  ['a value that was edited', (row) => ({ ...row, value: 'tea' }), 'value is not what rec holds.'],
  [
    'an owner that was edited',
    (row) => ({ ...row, meta: { ...row['meta'], owner: ['bob'] } }),
    'meta is not what rec holds.',
  ],
  ['a tombstone that is none', (row) => ({ ...row, tombstone: true }), 'tombstone is not what rec holds.'],
  [
    'the mark of a migration',
    (row) => ({ ...row, entity: MIGRATION_ENTITY }),
    'it is the mark of a migration, which is not moved.',
  ],
]

describe('parseRow', () => {
  it.each<[what: string, row: Row]>([
    ['a record', ROW],
    ['a tombstone', { ...ROW, rec: new Uint8Array() }],
    ['bytes that are no record', { ...ROW, rec: Uint8Array.of(255, 0) }],
    ['names that are special in JavaScript', { ...ROW, entity: '__proto__', key: '' }],
    ['the largest record', { ...ROW, rec: new Uint8Array(100) }],
  ])('reads %s as it was', (_, row) => {
    expect(parseRow(Buffer.from(jsonLine(exportedRow(row))), LIMITS)).toEqual(row)
  })

  it('keeps the sign of zero, which JSON loses', () => {
    expect(Buffer.from(parse(LINE).rec)).toEqual(Buffer.from(ROW.rec))
  })

  it('reads a line without what is only there for people, and with more than it knows', () => {
    expect(parse({ ...LINE, value: undefined, meta: undefined, later: true })).toEqual(ROW)
  })

  it('reads a record that this version cannot, of which the line says more', () => {
    const later = { ...ROW, rec: Uint8Array.of(0x83, 0x02, 0x01) }
    expect(parse({ ...exportedRow(later), value: 'as a later version shows it' })).toEqual(later)
  })

  it.each(BAD)('refuses %s', (_, change, problem) => {
    let message = ''
    try {
      parse(change(LINE))
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).toContain(problem.replace(/\.$/, ''))
    expect(message).not.toMatch(/\.$/)
  })
})
