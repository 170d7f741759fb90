import type { ChatMemory } from './chat-memory.ts'
import type { Clock } from './clock.ts'
import { KeepsakeError } from './errors.ts'
import type { AnyMessage } from './message.ts'
import { threadEntity } from './owner.ts'
import type { RowStore } from './row-store.ts'
import { readThread, type Head } from './thread-rows.ts'

/** `messages` of {@link ChatMemory}. */
export function threadReader<T extends AnyMessage>(store: RowStore, clock: Clock): ChatMemory<T>['messages'] {
  return async (threadId, { owner, last = Infinity, ...options } = {}) => {
    const entity = threadEntity(threadId)
    if (last !== Infinity && (!Number.isSafeInteger(last) || last < 0)) {
      throw new KeepsakeError('invalid_value', `last must be a whole number from 0; it is ${String(last)}.`)
    }
    const { head, appends } = await readThread<T>(store, entity, last, clock.nowMs(), options)
    checkOwner(head, owner)
    const messages = appends.toReversed().flatMap((append) => append.messages)
    return last < messages.length ? messages.slice(messages.length - last) : messages
  }
}

/** Throws `wrong_owner` if a live thread belongs to somebody other than `owner`. */
export function checkOwner(head: Head | undefined, owner: string | undefined): void {
  if (owner !== undefined && head?.live === true && head.owner !== owner) throw wrongOwner()
}

export function wrongOwner(): KeepsakeError {
  return new KeepsakeError(
    'wrong_owner',
    'This thread belongs to another owner, as its first append decided. Nothing of it was read or written; use another thread id.',
  )
}
