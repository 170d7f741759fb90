import { describeType, KeepsakeError } from '@keepsake/core'

/** Throws `invalid_value` unless `value` is a whole number from `min` to `max`; `Infinity` is one where `max` is. */
export function checkCount(what: string, value: unknown, min: number, max: number): void {
  if (value === max || (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max)) return
  const range = max === Infinity ? `from ${min}, or Infinity` : `from ${min} to ${max}`
  const found = typeof value === 'number' ? String(value) : describeType(value)
  throw new KeepsakeError('invalid_value', `${what} must be a whole number ${range}; it is ${found}.`)
}
