import { isDeepStrictEqual } from 'node:util'
import { checkRowWrites, MIGRATION_ENTITY, type Row, type StoreLimits } from '@keepsake/core'
import { exportedRow, rowContent } from './row-json.ts'
import { fromTupleJson } from './tuple-text.ts'

/**
 * The row that a line of an export was written from. Throws an error whose message says what is wrong with the line, and
 * nothing of what it holds.
 */
export function parseRow(line: Uint8Array, limits: StoreLimits): Row {
  const json = parseObject(line)
  const { seq, updatedAtMs, expiresAtMs } = json as Partial<Row>
  const row = {
    entity: parseName(json, 'entity'),
    key: parseName(json, 'key'),
    seq,
    rec: parseRec(json['rec']),
    updatedAtMs,
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  } as Row
  checkRow(row, limits)
  if (row.entity === MIGRATION_ENTITY) throw new Error('it is the mark of a migration, which is not moved')
  checkContent(json, row)
  return row
}

function parseObject(line: Uint8Array): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line))
  } catch {
    throw new Error('it is no JSON in UTF-8')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Error('it is no row: a row is a JSON object')
}

function parseName(json: Record<string, unknown>, field: 'entity' | 'key'): string {
  const name = fromTupleJson(json[field])
  if (name === undefined) throw new Error(`${field} must be a string or an array of strings`)
  return name
}

function parseRec(rec: unknown): Uint8Array {
  const text = typeof rec === 'object' && rec !== null ? (rec as { $bytes?: unknown }).$bytes : undefined
  if (typeof text === 'string') {
    const bytes = Buffer.from(text, 'base64')
    // Node leaves out what is no base64.
    if (bytes.toString('base64') === text) return new Uint8Array(bytes)
  }
  throw new Error('rec must be {"$bytes":"…"} with the bytes of the record in base64, as keepsake export writes it')
}

function checkRow(row: Row, limits: StoreLimits): void {
  try {
    checkRowWrites([row], limits)
  } catch (error) {
    const { message } = error as Error
    throw new Error(message.replace('rows[0].', '').replace(/\.(?: Nothing was written\.)?$/, ''), { cause: error })
  }
}

/** What people read in an export is there to be read: a change of it would be lost, so it is refused. */
function checkContent(json: Record<string, unknown>, row: Row): void {
  // Written by a later version, it may be more than this one can read.
  if ('unreadable' in rowContent(row)) return
  const expected = JSON.parse(JSON.stringify(exportedRow(row))) as Record<string, unknown>
  for (const field of ['value', 'meta', 'tombstone']) {
    if (!(field in json) || isDeepStrictEqual(json[field], expected[field])) continue
    throw new Error(`${field} is not what rec holds. Rows are read from rec: values cannot be changed in a file`)
  }
}
