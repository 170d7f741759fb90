import { KeepsakeError } from '../errors.ts'
import { describeType } from '../rows/keys.ts'

/** What can be stored: JSON values and bytes. */
export type Storable = null | boolean | number | string | Uint8Array | Storable[] | { [key: string]: Storable }

/** Deeper values are refused: they would overflow the stack of this or another reader. */
export const MAX_DEPTH = 500

/**
 * Few objects can make many values: 26 arrays of which each holds the one before it twice are 2^26 when they are copied.
 * Records of 4 MiB have so many only where most of them take fewer than 5 bytes.
 */
const MAX_VALUES = 1_000_000

/** The longest path that a message shows. */
const MAX_PATH = 200

/**
 * The value as it will be stored, as a fresh copy: JSON values and `Uint8Array` stay, object keys with `undefined` are
 * left out, a `URL` becomes its string, an `ArrayBuffer` and a Node `Buffer` become `Uint8Array`. Symbol keys and
 * properties that are not enumerable are no part of the value, as in JSON. Doing it twice changes nothing.
 *
 * Everything else would come back as something other than it was, so it throws `invalid_value` and names the path:
 * `Date`, `Map`, `Set`, `BigInt`, `NaN`, `Infinity`, functions, symbols, class instances (subclasses of arrays too),
 * `undefined` and holes in arrays, cycles, more than 500 levels, more than 1,000,000 values (one that is held twice counts
 * twice), keys with half of a surrogate pair. `what` is the path of the value itself. Objects of other realms are taken
 * like those of this one.
 */
export function normalise(value: unknown, what: string): Storable {
  try {
    return visit(value, what, { ancestors: [], values: 0 })
  } catch (cause) {
    if (KeepsakeError.isInstance(cause)) throw cause
    throw new KeepsakeError(
      'invalid_value',
      `${what} could not be read: a getter or a proxy in it threw. Store plain data. Nothing was written.`,
      { cause },
    )
  }
}

/** Where a visit is: the objects around the value, and the values so far. */
interface Progress {
  ancestors: object[]
  values: number
}

function visit(value: unknown, path: string, progress: Progress): Storable {
  if (++progress.values > MAX_VALUES) {
    throw refused(path, `comes after ${MAX_VALUES} other values`, 'store less, and no value many times in one')
  }
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (!Number.isFinite(value)) throw refused(path, `is ${value}`, 'JSON has no such number: store null or a text')
      return value
    case 'object':
      return value === null ? null : visitObject(value, path, progress)
    default:
      throw refused(path, `is ${describeType(value)}`, 'only JSON values and Uint8Array can be stored')
  }
}

function visitObject(value: object, path: string, progress: Progress): Storable {
  if (isUint8Array(value)) return new Uint8Array(value)
  if (isArrayBuffer(value)) return new Uint8Array(value).slice()
  if (value instanceof URL) return value.href
  const { ancestors } = progress
  if (ancestors.includes(value)) throw refused(path, 'refers back to a value that contains it', 'break the cycle')
  if (ancestors.length === MAX_DEPTH) throw refused(path, `is nested deeper than ${MAX_DEPTH} levels`, 'flatten it')
  ancestors.push(value)
  const copy = Array.isArray(value) ? visitArray(value, path, progress) : visitRecord(value, path, progress)
  ancestors.pop()
  return copy
}

function visitArray(value: readonly unknown[], path: string, progress: Progress): Storable[] {
  if (!isRootless(Object.getPrototypeOf(value) as object | null)) throw notPlain(value, path)
  const copy: Storable[] = []
  for (let i = 0; i < value.length; i++) copy.push(visit(value[i], `${path}[${i}]`, progress))
  return copy
}

function visitRecord(value: object, path: string, progress: Progress): Storable {
  if (!isRootless(value)) throw notPlain(value, path)
  const copy: { [key: string]: Storable } = {}
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue
    if (!key.isWellFormed()) throw refused(path, 'has a key with half of a surrogate pair', 'use toWellFormed() on it')
    const stored = visit(item, /^[\w$]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`, progress)
    // Assigning to __proto__ would set the prototype instead of a property.
    if (key === '__proto__') {
      Object.defineProperty(copy, key, { value: stored, configurable: true, enumerable: true, writable: true })
    } else copy[key] = stored
  }
  return copy
}

/**
 * No prototype, or one that has none itself: in whatever realm it was made, this holds for plain objects and for the
 * prototypes of plain arrays, and not for class instances.
 */
function isRootless(value: object | null): boolean {
  if (value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** In whatever realm it was made: the name comes from an accessor that only real typed arrays answer. */
function isUint8Array(value: object): value is Uint8Array {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]'
}

/** In whatever realm it was made: `slice` refuses what only calls itself a buffer. */
function isArrayBuffer(value: object): value is ArrayBuffer {
  if (Object.prototype.toString.call(value) !== '[object ArrayBuffer]') return false
  try {
    ArrayBuffer.prototype.slice.call(value, 0, 0)
    return true
  } catch {
    return false
  }
}

function notPlain(value: object, path: string): KeepsakeError {
  return refused(
    path,
    `is ${describeType(value)}`,
    'store plain data: a Date as its toISOString(), a Map as an object, a class instance as its fields',
  )
}

function refused(path: string, what: string, remedy: string): KeepsakeError {
  const shown = path.length > MAX_PATH ? `${path.slice(0, MAX_PATH).toWellFormed()}…` : path
  return new KeepsakeError('invalid_value', `${shown} ${what}; ${remedy}. Nothing was written.`, {
    details: { path: shown },
  })
}
