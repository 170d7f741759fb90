import { decodeTuple, encodeTuple, type Key } from '@keepsake/core'
import { escapeUnits } from './safe-text.ts'
import { usageError } from './cli-error.ts'

/**
 * Entities and keys as people read and type them. Stored, they are usually tuples joined with control characters; here
 * segments are joined with `/`. Inside a segment `/` and `\` get a backslash, and characters that cannot be seen are
 * written `\u00XX`. What this form cannot say is written as JSON: `["a",""]` is a tuple, `"a"` a string that is none.
 *
 * | stored | text |
 * |---|---|
 * | `encodeTuple(['users', 'ada'])` | `users/ada` |
 * | `encodeTuple(['a/b'])` | `a\/b` |
 * | `encodeTuple([''])` | `[""]` |
 * | `plain` (no tuple) | `"plain"` |
 *
 * `parseTupleText(formatTupleText(stored)) === stored` for every stored string.
 */
export function formatTupleText(stored: string): string {
  const parts = toTuple(stored)
  if (parts === undefined || parts.every((part) => part === '')) return tupleJsonText(stored)
  return parts.map(formatSegment).join('/').replace(/^["[]/, '\\$&')
}

/** A tuple, such as an owner, as {@link formatTupleText} writes it. */
export function formatTuple(parts: Key): string {
  return formatTupleText(encodeTuple(parts))
}

/** The tuple of a text that a person typed, for owners and keys of records: JSON's `"a"` is the tuple of one segment. */
export function parseTuple(text: string, what: string): string[] {
  const stored = parseTupleText(text, what)
  return toTuple(stored) ?? [stored]
}

/** The stored string of a text that a person typed. Throws a usage error naming `what` if it is malformed. */
export function parseTupleText(text: string, what: string): string {
  if (text === '')
    throw usageError(`${what} is empty. For the row without a name write '""', for an empty segment '[""]'.`)
  if (text.startsWith('"') || text.startsWith('[')) return fromJsonText(text, what)
  return encodeTuple(splitSegments(text, what))
}

/** What machine output shows: an array is a tuple, a string is one that is stored as it stands. */
export function tupleJson(stored: string): string | string[] {
  return toTuple(stored) ?? stored
}

/** The inverse of {@link tupleJson}; `undefined` if the value cannot be one. */
export function fromTupleJson(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return encodeTuple(value)
  return undefined
}

// The empty string is the empty tuple too; a string says it more plainly.
function toTuple(stored: string): string[] | undefined {
  if (!stored.endsWith('\u0001')) return undefined
  try {
    const parts = decodeTuple(stored)
    return encodeTuple(parts) === stored ? parts : undefined
  } catch {
    return undefined
  }
}

function tupleJsonText(stored: string): string {
  return JSON.stringify(tupleJson(stored)).replace(INVISIBLE, escapeUnits)
}

function fromJsonText(text: string, what: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw usageError(
      `${what} begins like JSON and is none. Quote it for the shell, as in '["a","b"]' or '"a"'; a segment that begins with " or [ takes a backslash before it.`,
    )
  }
  const stored = fromTupleJson(value)
  if (stored === undefined) throw usageError(`${what} must be a JSON string or an array of strings.`)
  return stored
}

// Whatever cannot be seen, or told from a space: controls, formatting marks, unassigned characters and other blanks.
const INVISIBLE = /(?! )[\p{C}\p{Z}]/gu

// Spaces at the ends would be lost to the eye too.
function formatSegment(segment: string): string {
  return segment.replace(/[\\/]/g, '\\$&').replace(INVISIBLE, escapeUnits).replace(/^ | $/g, escapeUnits)
}

function splitSegments(text: string, what: string): string[] {
  const parts: string[] = []
  let part = ''
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!
    if (character === '/') {
      parts.push(part)
      part = ''
    } else if (character !== '\\') {
      part += character
    } else {
      const escape = readEscape(text, i)
      if (escape === undefined) {
        throw usageError(
          `${what} has a backslash at character ${i + 1} that begins no escape. Known are \\/ \\\\ \\" \\[ and \\u with four hexadecimal digits; a backslash itself is \\\\. Quote the text for the shell.`,
        )
      }
      part += escape.character
      i += escape.length - 1
    }
  }
  parts.push(part)
  return parts
}

function readEscape(text: string, at: number): { character: string; length: number } | undefined {
  const next = text[at + 1]
  if (next === '/' || next === '\\' || next === '"' || next === '[') return { character: next, length: 2 }
  const digits = /^u([0-9a-fA-F]{4})/.exec(text.slice(at + 1, at + 6))?.[1]
  return digits === undefined ? undefined : { character: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 }
}
