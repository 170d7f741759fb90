import { encodeTuple, utf8Length } from '@keepsake/core'
import { fingerprint } from '../engine/fingerprint.ts'

/** Names are parts of keys; those that are long stand for themselves by their fingerprint. */
export function scopeName(...parts: readonly string[]): string {
  return encodeTuple(parts.map((part) => (utf8Length(part) > 128 ? fingerprint(part) : part)))
}
