import { KeepsakeError } from '../errors.ts'
import { checkText, describeType } from '../rows/keys.ts'
import { ownerEntity } from '../owner.ts'
import type { ReadThread } from './read-thread.ts'

/**
 * Throws unless the owner in `options` is left out or can be one. One that is there but undefined is refused: a user id that
 * is missing must not become "anybody's".
 */
export function checkOwnerOption(options: { owner?: string }): void {
  if (typeof options !== 'object' || options === null) {
    throw new KeepsakeError(
      'invalid_value',
      `options must be an object, such as { owner: 'ada' }; it is ${describeType(options)}.`,
    )
  }
  if (!('owner' in options)) return
  checkText(options.owner, 'owner')
  ownerEntity(options.owner)
}

/** Throws `wrong_owner` if a live thread belongs to somebody other than `owner`. */
export function checkOwner(
  { head, state }: Pick<ReadThread<never>, 'head' | 'state'>,
  owner: string | undefined,
): void {
  if (owner === undefined || state !== 'live' || head?.owner === owner) return
  throw new KeepsakeError(
    'wrong_owner',
    'This thread belongs to another owner, as its first append decided. Nothing of it was read or written; use another thread id.',
  )
}
