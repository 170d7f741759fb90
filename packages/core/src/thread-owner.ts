import { KeepsakeError } from './errors.ts'
import { checkText } from './keys.ts'
import { ownerEntity } from './owner.ts'
import type { ReadThread } from './thread-rows.ts'

/** Throws `invalid_key` unless `owner` is left out or can be one. */
export function checkOwnerName(owner: string | undefined): void {
  if (owner === undefined) return
  checkText(owner, 'owner')
  ownerEntity(owner)
}

/** Throws `wrong_owner` if a live thread belongs to somebody other than `owner`. */
export function checkOwner({ head, live }: Pick<ReadThread<never>, 'head' | 'live'>, owner: string | undefined): void {
  if (owner === undefined || !live || head?.owner === owner) return
  throw new KeepsakeError(
    'wrong_owner',
    'This thread belongs to another owner, as its first append decided. Nothing of it was read or written; use another thread id.',
  )
}
