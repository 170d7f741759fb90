import { describeType, KeepsakeError } from '@keepsake/core'

/** Of a SHA-256: as good as unique, and short in a file's list of 16. */
const MARK_BYTES = 16

/**
 * What stands for the name of an operation in storage: 22 characters of `[A-Za-z0-9_-]`, so that names of any length and
 * script fit everywhere, and none can be read there. Throws `invalid_value` for what names nothing.
 */
export async function opMark(opId: string): Promise<string> {
  if (typeof opId !== 'string' || opId === '' || !opId.isWellFormed()) {
    const shown = typeof opId === 'string' ? (opId === '' ? 'empty' : 'no well-formed Unicode') : describeType(opId)
    throw new KeepsakeError('invalid_value', `opId must be a text that names the change; it is ${shown}.`)
  }
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(opId))
  const characters = String.fromCharCode(...new Uint8Array(digest, 0, MARK_BYTES))
  return btoa(characters).replaceAll('+', '-').replaceAll('/', '_').replace('==', '')
}
