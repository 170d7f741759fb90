import { KeepsakeError } from './errors.ts'
import { describeType } from './keys.ts'

/** What can be stored: JSON values and bytes. */
export type Storable = null | boolean | number | string | Uint8Array | Storable[] | { [key: string]: Storable }

/** Deeper values are refused: they would overflow the stack of this or another reader. */
export const MAX_DEPTH = 500

/**
 * The value as it will be stored, as a fresh copy: JSON values and `Uint8Array` stay, object keys with `undefined` are
 * left out, a `URL` becomes its string, an `ArrayBuffer` and a Node `Buffer` become `Uint8Array`. Doing it twice changes
 * nothing.
 *
 * Everything else would come back as something other than it was, so it throws `invalid_value` and names the path:
 * `Date`, `Map`, `Set`, `BigInt`, `NaN`, `Infinity`, functions, symbols, class instances, `undefined` and holes in
 * arrays, cycles, more than 500 levels. `what` is the path of the value itself.
 */
export function normalise(value: unknown, what: string): Storable {
  return visit(value, what, [])
}

function visit(value: unknown, path: string, ancestors: object[]): Storable {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (!Number.isFinite(value)) throw refused(path, `is ${value}`, 'JSON has no such number: store null or a text')
      return value
    case 'object':
      return value === null ? null : visitObject(value, path, ancestors)
    default:
      throw refused(path, `is ${describeType(value)}`, 'only JSON values and Uint8Array can be stored')
  }
}

function visitObject(value: object, path: string, ancestors: object[]): Storable {
  if (value instanceof Uint8Array) return new Uint8Array(value)
  if (value instanceof ArrayBuffer) return new Uint8Array(value).slice()
  if (value instanceof URL) return value.href
  if (ancestors.includes(value)) throw refused(path, 'refers back to a value that contains it', 'break the cycle')
  if (ancestors.length === MAX_DEPTH) throw refused(path, `is nested deeper than ${MAX_DEPTH} levels`, 'flatten it')
  ancestors.push(value)
  const copy = Array.isArray(value) ? visitArray(value, path, ancestors) : visitRecord(value, path, ancestors)
  ancestors.pop()
  return copy
}

function visitArray(value: readonly unknown[], path: string, ancestors: object[]): Storable[] {
  const copy: Storable[] = []
  for (let i = 0; i < value.length; i++) copy.push(visit(value[i], `${path}[${i}]`, ancestors))
  return copy
}

function visitRecord(value: object, path: string, ancestors: object[]): Storable {
  if (!isPlain(value)) {
    throw refused(
      path,
      `is ${describeType(value)}`,
      'store plain data: a Date as its toISOString(), a Map as an object',
    )
  }
  const copy: { [key: string]: Storable } = {}
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue
    if (!key.isWellFormed()) throw refused(path, 'has a key with half of a surrogate pair', 'use toWellFormed() on it')
    const stored = visit(item, /^[\w$]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`, ancestors)
    // Assigning to __proto__ would set the prototype instead of a property.
    if (key === '__proto__') {
      Object.defineProperty(copy, key, { value: stored, configurable: true, enumerable: true, writable: true })
    } else copy[key] = stored
  }
  return copy
}

/** Plain in this or another realm: no prototype, or one that has none itself. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function refused(path: string, what: string, remedy: string): KeepsakeError {
  return new KeepsakeError('invalid_value', `${path} ${what}; ${remedy}. Nothing was written.`, { details: { path } })
}
