import { KeepsakeError } from './errors.ts'
import { describeType } from './keys.ts'

/** Items on a page when `limit` is left out. */
export const DEFAULT_LIMIT = 20

/** A position in a list as an opaque text: base64url of UTF-8, so that it passes through URLs. */
export function encodeCursor(position: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(position)) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/**
 * The inverse of {@link encodeCursor}. Throws `invalid_value` for a text that is no cursor, or one of a list whose positions
 * do not begin with `prefix`.
 */
export function decodeCursor(cursor: string, prefix: string): string {
  try {
    const binary = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const position = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (encodeCursor(position) !== cursor) throw new TypeError('not as it was given')
    if (!position.startsWith(prefix) || position.includes('\0')) throw new TypeError('a position of another list')
    return position
  } catch (cause) {
    throw new KeepsakeError('invalid_value', 'cursor is not one that a page of this list gave; start without one.', {
      cause,
    })
  }
}

/** The page size that was asked for. Throws `invalid_value` unless it is a whole number from 1. */
export function checkLimit(limit: number | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT
  if (!Number.isSafeInteger(limit) || limit < 1) {
    const shown = typeof limit === 'number' ? String(limit) : describeType(limit)
    throw new KeepsakeError('invalid_value', `limit must be a whole number from 1; it is ${shown}.`)
  }
  return limit
}
