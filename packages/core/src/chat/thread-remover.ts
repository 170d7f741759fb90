import { backoff } from '../backoff.ts'
import type { ChatMemory } from './chat-memory.ts'
import type { Clock } from '../clock.ts'
import { encodeEnvelope } from '../values/envelope.ts'
import { endLife } from './end-life.ts'
import { KeepsakeError } from '../errors.ts'
import { describeType } from '../rows/keys.ts'
import type { AnyMessage } from '../message.ts'
import type { Storable } from '../values/normalise.ts'
import { threadEntity } from '../owner.ts'
import { makesCall, withPairs } from './pairing.ts'
import { TOMBSTONE_MS } from '../records/record-rows.ts'
import type { RowStore, RowWrite } from '../rows/row-store.ts'
import { checkOwner, checkOwnerOption } from './thread-owner.ts'
import { appendValue, type AppendRow } from './append-row.ts'
import { readThread } from './read-thread.ts'
import { removeLives } from './remove-lives.ts'

/** `removeMessages` and `clear` of {@link ChatMemory}. */
export function threadRemover<T extends AnyMessage>(
  store: RowStore,
  clock: Clock,
): Pick<ChatMemory<T>, 'removeMessages' | 'clear'> {
  /** Writes an append again without some of its messages. One that loses all keeps nothing but when the thread expires. */
  function without({ row, envelope, messages, mark }: AppendRow<T>, gone: ReadonlySet<string>): RowWrite {
    const kept = messages.filter(({ id }) => !gone.has(id))
    const nowMs = clock.nowMs()
    const rest = { entity: row.entity, key: row.key, seq: clock.nextSeq(row.seq), guard: { seq: row.seq } }
    const { createdAtMs, expiresAtMs } = envelope
    const writeIds = [clock.newId(), ...(envelope.writeIds ?? [])]
    if (kept.length === 0) {
      const times = { createdAtMs, ...(expiresAtMs !== undefined && { expiresAtMs }) }
      const rec = encodeEnvelope({ value: appendValue([], mark), ...times, writeIds })
      return { ...rest, rec, updatedAtMs: nowMs, expiresAtMs: Math.max(nowMs + TOMBSTONE_MS, expiresAtMs ?? 0) }
    }
    const rec = encodeEnvelope({ ...envelope, value: appendValue(kept as unknown as Storable[], mark), writeIds })
    return { ...rest, rec, updatedAtMs: row.updatedAtMs }
  }

  return {
    async removeMessages(threadId, ids, given = {}) {
      checkOwnerOption(given)
      const { owner, ...options } = given
      const entity = threadEntity(threadId)
      // What goes with a message that went at an attempt before goes too.
      let gone = checkIds(ids)
      let removed = 0
      for (let attempt = 0; ; await backoff(++attempt, 'Removing messages', options.signal)) {
        const thread = await readThread<T>(store, entity, Infinity, clock.nowMs(), options)
        checkOwner(thread, owner)
        gone = withPairs(
          thread.appends.toReversed().flatMap(({ messages }) => messages),
          gone,
        )
        const touched = thread.appends
          .map((append) => ({ append, lost: append.messages.filter(({ id }) => gone.has(id)) }))
          .filter(({ lost }) => lost.length > 0)
        // First what answers, then what calls: if the second write fails no result stands without its call.
        const [calling, answering] = [true, false].map((calls) =>
          touched.filter(({ lost }) => lost.some(makesCall) === calls),
        ) as [typeof touched, typeof touched]
        let stale = false
        for (const rows of [answering, calling]) {
          if (stale || rows.length === 0) continue
          const results = await store.write(
            rows.map(({ append }) => without(append, gone)),
            options,
          )
          for (const [index, { status }] of results.entries()) {
            if (status === 'applied') removed += rows[index]!.lost.length
            else stale = true
          }
        }
        if (!stale) return removed
      }
    },

    async clear(threadId, given = {}) {
      checkOwnerOption(given)
      const { owner, ...options } = given
      const entity = threadEntity(threadId)
      for (let attempt = 0; ; await backoff(++attempt, 'Clearing a thread', options.signal)) {
        const thread = await readThread<T>(store, entity, 0, clock.nowMs(), options)
        checkOwner(thread, owner)
        const { head, newestSeq, state } = thread
        // There is nothing of it yet that could be cleared, and whoever is beginning it goes on.
        if (state === 'beginning' && owner !== undefined && head?.owner !== owner) return
        if (head?.live !== true) {
          // Cleared before: what landed late goes, and what a clear that broke off left.
          if (thread.remains || head !== undefined) await removeLives(store, entity, head?.life ?? newestSeq, options)
          return
        }
        if (await endLife(store, clock, threadId, head, options)) return
      }
    },
  }
}

function checkIds(ids: readonly string[]): Set<string> {
  if (!Array.isArray(ids)) {
    throw new KeepsakeError('invalid_value', `ids must be a list of message ids; it is ${describeType(ids)}.`)
  }
  for (const [index, id] of ids.entries()) {
    if (typeof id === 'string') continue
    throw new KeepsakeError('invalid_value', `ids[${index}] must be the id of a message; it is ${describeType(id)}.`)
  }
  return new Set(ids)
}
