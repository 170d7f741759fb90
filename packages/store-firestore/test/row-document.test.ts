import type { DocumentSnapshot } from '@google-cloud/firestore'
import { describe, expect, test } from 'vitest'
import { documentId } from '../src/places.ts'
import { toDocuments, toHead, toRow } from '../src/row-document.ts'
import { put } from './rows.ts'

const MB = 1_000_000

/** Bytes that differ from place to place, so that none can be left out or put elsewhere. */
function bytes(length: number): Uint8Array {
  const filled = new Uint8Array(length)
  for (let i = 0; i < length; i++) filled[i] = i % 251
  return filled
}

function expiry(expiresAtMs: number | undefined, length = 1): unknown {
  return toDocuments(put('e', 'k', 1, bytes(length), { expiresAtMs })).fields['expiresAt']
}

function read(fields: object): DocumentSnapshot {
  return { exists: true, updateTime: 'then', data: () => fields } as unknown as DocumentSnapshot
}

describe('records', () => {
  test.each([
    [0, [0]],
    [1, [1]],
    [MB, [MB]],
    [MB + 1, [MB, 1]],
    [2 * MB, [MB, MB]],
    [4 * 1024 * 1024, [MB, MB, MB, MB, 194_304]],
  ])('of %i bytes lie in parts of %j', (length, parts) => {
    const row = put('e', 'k', 1, bytes(length))
    const { fields, chunks } = toDocuments(row)
    expect([fields['rec'], ...chunks.map(({ rec }) => rec)].map((part) => (part as Uint8Array).length)).toEqual(parts)
    const stored = toRow(
      'e',
      read(fields),
      chunks.map(({ rec }) => rec),
    )
    expect(Buffer.compare(stored.rec, row.rec)).toBe(0)
    expect({ ...stored, rec: '' }).toEqual({ ...row, rec: '' })
  })

  test('name their chunks after the whole record', () => {
    const record = bytes(3 * MB)
    const { fields, chunks } = toDocuments(put('e', 'k', 1, record))
    const ids = [`${documentId(record)}-1`, `${documentId(record)}-2`]
    expect(chunks.map(({ id }) => id)).toEqual(ids)
    expect(fields['chunks']).toEqual(ids)
    record[0]! ^= 1
    expect(toDocuments(put('e', 'k', 1, record)).fields['chunks']).not.toContain(ids[0])
  })

  test('are copies of what the client gave', () => {
    const rec = Buffer.from('abc')
    const row = toRow('e', read({ ...toDocuments(put('e', 'k', 1)).fields, rec }), [])
    rec[0] = 0
    expect(row.rec).toEqual(new TextEncoder().encode('abc'))
  })
})

describe('expiry', () => {
  test('is a time, which a TTL policy takes', () => {
    expect(expiry(1_900_000_000_000)).toEqual(new Date(1_900_000_000_000))
    expect(expiry(0)).toEqual(new Date(0))
    expect(expiry(Date.UTC(10_000, 0) - 1)).toEqual(new Date(Date.UTC(10_000, 0) - 1))
  })

  test('is a number after the year 9999, and of a row with chunks, which a policy would leave behind', () => {
    expect(expiry(Date.UTC(10_000, 0))).toBe(Date.UTC(10_000, 0))
    expect(expiry(Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER)
    expect(expiry(1_900_000_000_000, MB)).toEqual(new Date(1_900_000_000_000))
    expect(expiry(1_900_000_000_000, MB + 1)).toBe(1_900_000_000_000)
  })

  test('is null for rows that never expire', () => {
    expect(expiry(undefined)).toBeNull()
    const { fields } = toDocuments(put('e', 'k', 1))
    expect(toRow('e', read(fields), [])).not.toHaveProperty('expiresAtMs')
  })

  test('is read back from a time and from a number', () => {
    const { fields } = toDocuments(put('e', 'k', 1))
    const at = { toMillis: () => 1_900_000_000_000 }
    expect(toRow('e', read({ ...fields, expiresAt: at }), []).expiresAtMs).toBe(1_900_000_000_000)
    expect(toRow('e', read({ ...fields, expiresAt: 5 }), []).expiresAtMs).toBe(5)
  })
})

test('bigints of a client with useBigInt become numbers', () => {
  const fields = { ...toDocuments(put('e', 'k', 1)).fields, seq: 7n, updatedAtMs: 8n, expiresAt: 9n }
  expect(toRow('e', read(fields), [])).toMatchObject({ seq: 7, updatedAtMs: 8, expiresAtMs: 9 })
  expect(toHead(read(fields))).toEqual({ seq: 7, chunkIds: [], updateTime: 'then' })
})

test('a document that is not there has no head', () => {
  expect(toHead({ exists: false, data: () => undefined } as unknown as DocumentSnapshot)).toBeUndefined()
})
