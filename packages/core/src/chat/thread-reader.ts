import type { ChatMemory } from './chat-memory.ts'
import type { Clock } from '../clock.ts'
import { KeepsakeError } from '../errors.ts'
import { describeType } from '../rows/keys.ts'
import type { AnyMessage } from '../message.ts'
import { threadEntity } from '../owner.ts'
import type { RowStore } from '../rows/row-store.ts'
import { checkOpId, placeOfClaim } from './thread-claims.ts'
import { checkOwner, checkOwnerOption } from './thread-owner.ts'
import { isRevoked, messagesIn } from './append-row.ts'
import { readThread } from './read-thread.ts'
import { appendKey, operationClaimKey } from './thread-keys.ts'

/** `messages` of {@link ChatMemory}. */
export function threadReader<T extends AnyMessage>(store: RowStore, clock: Clock): ChatMemory<T>['messages'] {
  return async (threadId, given = {}) => {
    checkOwnerOption(given)
    const { owner, last = Infinity, ...options } = given
    const entity = threadEntity(threadId)
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

/** `appended` of {@link ChatMemory}. */
export function appendFinder<T extends AnyMessage>(store: RowStore, clock: Clock): ChatMemory<T>['appended'] {
  return async (threadId, opId, given = {}) => {
    checkOwnerOption(given)
    const { owner, ...options } = given
    const entity = threadEntity(threadId)
    checkOpId(opId)
    const thread = await readThread<T>(store, entity, 0, clock.nowMs(), options)
    checkOwner(thread, owner)
    if (thread.state !== 'live') return undefined
    const { life } = thread.head!
    const [claim] = await store.load([{ entity, key: operationClaimKey(life, [opId]) }], options)
    if (claim === undefined) return undefined
    const [row] = await store.load([{ entity, key: appendKey(life, placeOfClaim(claim)) }], options)
    return row === undefined || isRevoked(row) ? undefined : messagesIn<T>(row)
  }
}
