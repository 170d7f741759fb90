import { KeepsakeError } from '@keepsake/core'
import type { Place } from './rows/head.ts'

/** A question as its asker sees it: where it stands, and the fingerprint of what was shown. */
export interface QuestionRef extends Place {
  s: number
  hash: string
}

/** An opaque text for `resume`. */
export function questionId(s: number, { scope, ordinal, hash }: Place & { hash: string }): string {
  return `${s}.${ordinal}.${hash}.${scope}`
}

/** The inverse of {@link questionId}. Throws `invalid_value` for another text. */
export function parseQuestionId(id: unknown): QuestionRef {
  const match = typeof id === 'string' ? /^(\d+)\.(\d+)\.([0-9a-f]{16})\.([^]*)$/.exec(id) : null
  if (match === null) {
    throw new KeepsakeError('invalid_value', 'questionId is none: pass the one that came with the status "suspended".')
  }
  const [, s, ordinal, hash, scope] = match
  return { s: Number(s), ordinal: Number(ordinal), hash: hash!, scope: scope! }
}
