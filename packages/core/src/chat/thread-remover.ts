import { backoff } from '../backoff.ts'
import type { ChatMemory } from './chat-memory.ts'
import type { Clock } from '../clock.ts'
import { encodeEnvelope } from '../values/envelope.ts'
import { KeepsakeError } from '../errors.ts'
import { describeType } from '../rows/keys.ts'
import type { AnyMessage } from '../message.ts'
import type { Storable } from '../values/normalise.ts'
import { ownerEntity, threadEntity } from '../owner.ts'
import { withPairs } from './pairing.ts'
import { TOMBSTONE_MS } from '../records/record-rows.ts'
import type { RowStore, RowWrite } from '../rows/row-store.ts'
import { listKey } from './thread-lister.ts'
import { checkOwner, checkOwnerOption } from './thread-owner.ts'
import { encodeHead, HEAD_KEY, readThread, removeLives, type AppendRow, type Head } from './thread-rows.ts'

/** `removeMessages` and `clear` of {@link ChatMemory}. */
export function threadRemover<T extends AnyMessage>(
  store: RowStore,
  clock: Clock,
): Pick<ChatMemory<T>, 'removeMessages' | 'clear'> {
  /** Writes an append again without some of its messages; a row that loses all becomes a tombstone. */
  function without({ row, envelope, messages }: AppendRow<T>, gone: ReadonlySet<string>): RowWrite {
    const kept = messages.filter(({ id }) => !gone.has(id))
    const nowMs = clock.nowMs()
    const rest = { entity: row.entity, key: row.key, seq: clock.nextSeq(row.seq), guard: { seq: row.seq } }
    if (kept.length === 0) {
      return { ...rest, rec: new Uint8Array(), updatedAtMs: nowMs, expiresAtMs: nowMs + TOMBSTONE_MS }
    }
    const writeIds = [clock.newId(), ...(envelope.writeIds ?? [])]
    const rec = encodeEnvelope({ ...envelope, value: kept as unknown as Storable, writeIds })
    return { ...rest, rec, updatedAtMs: row.updatedAtMs }
  }

  return {
    async removeMessages(threadId, ids, given = {}) {
      checkOwnerOption(given)
      const { owner, ...options } = given
      const entity = threadEntity(threadId)
      const asked = checkIds(ids)
      let removed = 0
      for (let attempt = 0; ;) {
        const thread = await readThread<T>(store, entity, Infinity, clock.nowMs(), options)
        checkOwner(thread, owner)
        const { appends } = thread
        const gone = withPairs(
          appends.flatMap((append) => append.messages),
          asked,
        )
        const touched = appends.filter((append) => append.messages.some(({ id }) => gone.has(id)))
        if (touched.length === 0) return removed
        const results = await store.write(
          touched.map((append) => without(append, gone)),
          options,
        )
        for (const [index, result] of results.entries()) {
          if (result.status === 'applied') removed += touched[index]!.messages.filter(({ id }) => gone.has(id)).length
        }
        if (results.every(({ status }) => status === 'applied')) return removed
        await backoff(++attempt, 'Removing messages', options.signal)
      }
    },

    async clear(threadId, given = {}) {
      checkOwnerOption(given)
      const { owner, ...options } = given
      const entity = threadEntity(threadId)
      for (let attempt = 0; ; await backoff(++attempt, 'Clearing a thread', options.signal)) {
        const thread = await readThread<T>(store, entity, 1, clock.nowMs(), options)
        checkOwner(thread, owner)
        const { head, newestSeq } = thread
        if (head?.live !== true) {
          // Cleared before: what landed late goes, and what a clear that broke off left.
          if (thread.remains || head !== undefined) await removeLives(store, entity, head?.life ?? newestSeq, options)
          return
        }
        // The head goes first: from then on nothing shows, even if it lands later.
        const seq = clock.nextSeq(head.row.seq)
        const [result] = await store.write([deadHead(entity, head, seq)], options)
        if (result!.status === 'stale') continue
        if (head.owner !== undefined) {
          await store.remove([{ entity: ownerEntity(head.owner), key: listKey(head.life, threadId) }], options)
        }
        return removeLives(store, entity, head.life, options)
      }
    },
  }

  /** The head of a cleared thread: no owner, nothing of its content, and gone itself after a while. */
  function deadHead(entity: string, { row, life }: Head, seq: number): RowWrite {
    const nowMs = clock.nowMs()
    return {
      entity,
      key: HEAD_KEY,
      seq,
      rec: encodeHead({ live: false, life }, nowMs, {}, clock.newId()),
      updatedAtMs: nowMs,
      expiresAtMs: nowMs + TOMBSTONE_MS,
      guard: { seq: row.seq },
    }
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
