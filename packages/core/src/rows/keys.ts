import { KeepsakeError } from '../errors.ts'
import { utf8Length } from './utf8.ts'

/** A composite key or an owner: a tuple of any strings, such as `['memories', 'food']`. */
export type Key = readonly string[]

const END = '\u0001'
const ESCAPE = '\u0002'

/**
 * Writes a tuple as one string so that order is kept and no two tuples meet: U+0001 ends each segment; U+0000, U+0001
 * and U+0002 inside one become U+0002 followed by U+0001, U+0002 or U+0003. So `['a', 'b:c']` and `['a', 'b', 'c']`
 * differ, and the code of `['t', 'acme']` is no prefix of that of `['t', 'acme-corp']`. Throws `invalid_key` for what is
 * no list of well-formed strings.
 */
export function encodeTuple(parts: Key): string {
  let encoded = ''
  for (const part of copyTuple(parts, 'key')) encoded += escapeSegment(part) + END
  return encoded
}

/** The inverse of {@link encodeTuple}. Throws `invalid_key` for a string that it did not write. */
export function decodeTuple(encoded: string): string[] {
  checkText(encoded, 'encoded key')
  if (encoded.includes('\0')) throw notATuple(encoded)
  if (encoded === '') return []
  const segments = encoded.split(END)
  // An escaped U+0000 is written with U+0001, so a split inside a segment is joined again.
  const parts: string[] = []
  let open = ''
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1
    if (last) {
      if (segment !== '' || open !== '') throw notATuple(encoded)
      break
    }
    if (endsInEscape(segment)) open += segment + END
    else {
      parts.push(unescapeSegment(open + segment, encoded))
      open = ''
    }
  }
  return parts
}

/**
 * A whole number from 0 to 2^53 - 1 as its complement in a fixed width (14 hexadecimal digits), so that an ascending
 * scan meets the largest first. Throws `invalid_value` for another number.
 */
export function descending(n: number): string {
  if (!Number.isSafeInteger(n) || n < 0) {
    const shown = typeof n === 'number' ? String(n) : describeType(n)
    throw new KeepsakeError('invalid_value', `descending takes a whole number from 0 to 2^53 - 1; it is ${shown}.`)
  }
  return (Number.MAX_SAFE_INTEGER - n).toString(16).padStart(14, '0')
}

/** The inverse of {@link descending}. Throws `invalid_key` for a text that it did not write. */
export function fromDescending(text: string): number {
  if (typeof text !== 'string' || !/^[01][0-9a-f]{13}$/.test(text)) {
    throw new KeepsakeError(
      'invalid_key',
      'This part of a key is no number in descending order: 14 hexadecimal digits.',
    )
  }
  return Number.MAX_SAFE_INTEGER - Number.parseInt(text, 16)
}

/**
 * A copy of a tuple, and all that is used of it: read once and by index, so that neither a later change nor an iterator of
 * its own makes another key of it than was checked. Throws `invalid_key` unless `parts` is a list of well-formed strings.
 * `what` names it in the message.
 */
export function copyTuple(parts: unknown, what: string): string[] {
  if (!Array.isArray(parts)) {
    throw new KeepsakeError(
      'invalid_key',
      `${what} must be a list of strings, such as ['memories', 'food']; it is ${describeType(parts)}.`,
    )
  }
  return copyList(parts).map((part, index) => {
    checkText(part, `${what}[${index}]`)
    return part
  })
}

/** A plain array of what an array holds, read by index. Holes become `undefined`. */
export function copyList<T>(list: readonly T[]): T[] {
  // Every key is one: `Array.from` takes ten times as long.
  const copy: T[] = []
  for (let index = 0; index < list.length; index++) copy.push(list[index]!)
  return copy
}

/** Throws `invalid_key` unless `text` is a well-formed string. */
export function checkText(text: unknown, what: string): asserts text is string {
  if (typeof text !== 'string') {
    throw new KeepsakeError('invalid_key', `${what} must be a string; it is ${describeType(text)}.`)
  }
  if (!text.isWellFormed()) {
    throw new KeepsakeError(
      'invalid_key',
      `${what} holds half of a surrogate pair, which no database can store; cut texts between characters (toWellFormed() repairs one).`,
    )
  }
}

/** Throws `invalid_key` unless `text` can be the entity or key of a row. */
export function checkRowText(text: unknown, what: string, maxBytes: number): asserts text is string {
  checkText(text, what)
  if (text.includes('\0')) throw new KeepsakeError('invalid_key', `${what} holds U+0000, which rows do not allow.`)
  if (text.length * 3 > maxBytes) {
    const bytes = utf8Length(text)
    if (bytes > maxBytes) {
      throw new KeepsakeError('invalid_key', `${what} has ${bytes} bytes in UTF-8; at most ${maxBytes} are allowed.`, {
        details: { bytes, maxBytes },
      })
    }
  }
}

/** What a value is, for messages: never its content. Never throws. */
export function describeType(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'object') return describeObject(value)
  if (value === undefined) return 'undefined'
  return `a ${typeof value}`
}

function describeObject(value: object): string {
  try {
    const name = (Object.getPrototypeOf(value) as { constructor?: { name?: unknown } } | null)?.constructor?.name
    if (typeof name === 'string' && name !== '' && name !== 'Object' && name !== 'Array') return `a ${name}`
    return Array.isArray(value) ? 'an array' : 'an object'
  } catch {
    // A proxy that throws, or whose handler was revoked.
    return 'an object'
  }
}

function escapeSegment(segment: string): string {
  // oxlint-disable-next-line no-control-regex -- these characters are what is escaped
  return segment.replace(/[\0\u0001\u0002]/g, (c) => ESCAPE + String.fromCharCode(c.charCodeAt(0) + 1))
}

function unescapeSegment(segment: string, encoded: string): string {
  // oxlint-disable-next-line no-control-regex -- these characters are what is escaped
  return segment.replace(/\u0002([^]?)/g, (_, c: string) => {
    const code = c === '' ? 0 : c.charCodeAt(0)
    if (code < 1 || code > 3) throw notATuple(encoded)
    return String.fromCharCode(code - 1)
  })
}

/** Whether the last U+0002 of `segment` waits for its second character: an odd position in its run. */
function endsInEscape(segment: string): boolean {
  let i = 0
  while (i < segment.length) i += segment[i] === ESCAPE ? 2 : 1
  return i > segment.length
}

function notATuple(encoded: string): KeepsakeError {
  return new KeepsakeError(
    'invalid_key',
    `This key of ${encoded.length} characters was not written by Keepsake's models: it is no encoded tuple.`,
  )
}
