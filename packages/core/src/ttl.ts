import { KeepsakeError } from './errors.ts'
import { describeType } from './keys.ts'

/** The longest time to live, in milliseconds: the range of a `Date`. From any present time its end is a safe integer. */
const MAX_TTL_MS = 8.64e15

/** Throws `invalid_value` unless `ttlMs` is left out or a whole number of milliseconds from 1. */
export function checkTtl(ttlMs: number | undefined): void {
  if (ttlMs === undefined || (Number.isSafeInteger(ttlMs) && ttlMs >= 1 && ttlMs <= MAX_TTL_MS)) return
  const shown = typeof ttlMs === 'number' ? String(ttlMs) : describeType(ttlMs)
  throw new KeepsakeError(
    'invalid_value',
    `ttlMs must be a whole number of milliseconds from 1 to ${MAX_TTL_MS}; it is ${shown}. Leave it out to keep for ever.`,
  )
}
