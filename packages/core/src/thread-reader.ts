import type { ChatMemory } from './chat-memory.ts'
import type { Clock } from './clock.ts'
import { KeepsakeError } from './errors.ts'
import { describeType } from './keys.ts'
import type { AnyMessage } from './message.ts'
import { threadEntity } from './owner.ts'
import type { RowStore } from './row-store.ts'
import { checkOwner, checkOwnerName } from './thread-owner.ts'
import { readThread } from './thread-rows.ts'

/** `messages` of {@link ChatMemory}. */
export function threadReader<T extends AnyMessage>(store: RowStore, clock: Clock): ChatMemory<T>['messages'] {
  return async (threadId, { owner, last = Infinity, ...options } = {}) => {
    const entity = threadEntity(threadId)
    checkOwnerName(owner)
    if (last !== Infinity && (!Number.isSafeInteger(last) || last < 0)) {
      const shown = typeof last === 'number' ? String(last) : describeType(last)
      throw new KeepsakeError('invalid_value', `last must be a whole number from 0; it is ${shown}.`)
    }
    const thread = await readThread<T>(store, entity, last, clock.nowMs(), options)
    checkOwner(thread, owner)
    const messages = thread.appends.toReversed().flatMap((append) => append.messages)
    return last < messages.length ? messages.slice(messages.length - last) : messages
  }
}
