import { KeepsakeError } from '../errors.ts'
import { checkRowText, describeType } from './keys.ts'
import {
  MAX_ENTITY_BYTES,
  MAX_KEY_BYTES,
  MAX_SEQ,
  type Guard,
  type Range,
  type RowId,
  type RowWrite,
  type StoreLimits,
} from './row-store.ts'

/** Checks an entity as every store must, before any I/O. Throws `invalid_key`. */
export function checkEntity(entity: unknown): asserts entity is string {
  checkRowText(entity, 'entity', MAX_ENTITY_BYTES)
}

/** Checks the ids of `load` or `remove`. Throws `invalid_key` or `invalid_value`, naming the place in the list. */
export function checkRowIds(ids: readonly (RowId & { seq?: number })[]): void {
  checkList(ids, 'ids')
  for (let i = 0; i < ids.length; i++) {
    checkId(ids[i], `ids[${i}]`)
    const { seq } = ids[i]!
    if (seq !== undefined) checkSeq(seq, `ids[${i}].seq`)
  }
}

/** Checks the range of `scan` or `entities`. Throws `invalid_key` or `invalid_value`. */
export function checkRange(range: Range): void {
  if (typeof range !== 'object' || range === null)
    throw invalid(`range must be an object; it is ${describeType(range)}.`)
  if (!Number.isSafeInteger(range.limit) || range.limit < 1) {
    throw invalid(`range.limit must be a whole number from 1; it is ${shown(range.limit)}.`)
  }
  if (range.prefix !== undefined) checkRowText(range.prefix, 'range.prefix', MAX_KEY_BYTES)
  if (range.after !== undefined) checkRowText(range.after, 'range.after', MAX_KEY_BYTES)
}

/**
 * Checks the rows of `write`: all of them, before the first is written. Throws `invalid_key`, `invalid_value` or
 * `too_large`, naming the row and what is wrong.
 */
export function checkRowWrites(rows: readonly RowWrite[], limits: StoreLimits): void {
  checkList(rows, 'rows')
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const where = `rows[${i}]`
    checkId(row, where)
    checkSeq(row.seq, `${where}.seq`)
    checkTime(row.updatedAtMs, `${where}.updatedAtMs`)
    if (row.expiresAtMs !== undefined) checkTime(row.expiresAtMs, `${where}.expiresAtMs`)
    if (!(row.rec instanceof Uint8Array)) {
      throw invalid(`${where}.rec must be a Uint8Array; it is ${describeType(row.rec)}.`)
    }
    if (row.rec.length > limits.maxRecBytes) {
      throw new KeepsakeError(
        'too_large',
        `${where}.rec has ${row.rec.length} bytes; this store takes at most ${limits.maxRecBytes}. Nothing was written.`,
        { details: { bytes: row.rec.length, maxBytes: limits.maxRecBytes } },
      )
    }
    if (row.guard !== undefined) checkGuard(row.guard, row.seq, `${where}.guard`)
  }
}

function checkGuard(guard: Guard, seq: number, where: string): void {
  if (guard === 'monotonic' || guard === 'absent') return
  if (typeof guard !== 'object' || guard === null || !('seq' in guard)) {
    throw invalid(`${where} must be 'monotonic', 'absent' or { seq }; it is ${shown(guard)}.`)
  }
  checkSeq(guard.seq, `${where}.seq`)
  if (seq <= guard.seq) {
    throw invalid(`${where} expects seq ${guard.seq}, so the new seq must be greater; it is ${seq}.`)
  }
}

function checkId(id: unknown, where: string): void {
  if (typeof id !== 'object' || id === null) throw invalid(`${where} must be an object; it is ${describeType(id)}.`)
  const { entity, key } = id as RowId
  checkRowText(entity, `${where}.entity`, MAX_ENTITY_BYTES)
  checkRowText(key, `${where}.key`, MAX_KEY_BYTES)
}

function checkSeq(seq: unknown, where: string): void {
  if (!Number.isSafeInteger(seq) || (seq as number) < 0 || (seq as number) > MAX_SEQ || Object.is(seq, -0)) {
    throw invalid(`${where} must be a whole number from 0 to ${MAX_SEQ}; it is ${shown(seq)}.`)
  }
}

function checkTime(time: unknown, where: string): void {
  if (!Number.isSafeInteger(time) || (time as number) < 0) {
    throw invalid(`${where} must be a whole number of Unix milliseconds; it is ${shown(time)}.`)
  }
}

function checkList(list: unknown, what: string): void {
  if (!Array.isArray(list)) throw invalid(`${what} must be an array; it is ${describeType(list)}.`)
}

function shown(value: unknown): string {
  return typeof value === 'number' ? String(value) : describeType(value)
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', message)
}
