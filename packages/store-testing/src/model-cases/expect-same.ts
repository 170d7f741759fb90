import { equalBytes } from '@keepsake/core'

/** Compares plain data and bytes deeply; -0 is not 0. `what` says what is compared. */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  if (same(actual, expected)) return
  const error = new Error(`${what}: expected ${shown(expected)}, got ${shown(actual)}`)
  throw Object.assign(error, { actual, expected })
}

function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Uint8Array || b instanceof Uint8Array) {
    return a instanceof Uint8Array && b instanceof Uint8Array && equalBytes(a, b)
  }
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const left = new Map(Object.entries(a).filter(([, value]) => value !== undefined))
  const right = Object.entries(b).filter(([, value]) => value !== undefined)
  return left.size === right.length && right.every(([key, value]) => left.has(key) && same(left.get(key), value))
}

function shown(value: unknown): string {
  const text = JSON.stringify(value, (_, item: unknown) =>
    item instanceof Uint8Array ? `${item.length} bytes ${Array.from(item.subarray(0, 16)).join(' ')}` : item,
  )
  return text === undefined || text.length <= 500 ? (text ?? 'undefined') : `${text.slice(0, 500)}…`
}
