import { backoff } from './backoff.ts'
import type { ChatMemory } from './chat-memory.ts'
import type { Clock } from './clock.ts'
import { encodeEnvelope } from './envelope.ts'
import { KeepsakeError } from './errors.ts'
import type { AnyMessage } from './message.ts'
import { normalise } from './normalise.ts'
import { ownerEntity, threadEntity } from './owner.ts'
import { withPairs } from './pairing.ts'
import { TOMBSTONE_MS } from './record-rows.ts'
import type { CallOptions, Row, RowStore, RowWrite } from './row-store.ts'
import { listKey } from './thread-lister.ts'
import { checkOwner } from './thread-reader.ts'
import {
  appendsUpTo,
  CLAIM_PREFIXES,
  encodeHead,
  HEAD_KEY,
  readThread,
  type AppendRow,
  type Head,
} from './thread-rows.ts'

const SCAN_ROWS = 500

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
    const rec = encodeEnvelope({ ...envelope, value: normalise(kept, 'messages'), writeIds })
    return { ...rest, rec, updatedAtMs: row.updatedAtMs }
  }

  /** Removes what belongs to a life of the thread that ended at `clearedSeq`; a new one may have begun. */
  async function removeCleared(entity: string, clearedSeq: number, options: CallOptions): Promise<void> {
    const removeFrom = async (
      prefix: string,
      start: string | undefined,
      isOld: (row: Row) => boolean,
    ): Promise<void> => {
      for (let after = start; ;) {
        const page = await store.scan(
          entity,
          { prefix, limit: SCAN_ROWS, ...(after !== undefined && { after }) },
          options,
        )
        const old = page.filter(isOld)
        if (old.length > 0) await store.remove(old, options)
        if (page.length < SCAN_ROWS) return
        after = page.at(-1)!.key
      }
    }
    for (const prefix of CLAIM_PREFIXES) await removeFrom(prefix, undefined, (row) => row.seq <= clearedSeq)
    await removeFrom(HEAD_KEY, appendsUpTo(clearedSeq), () => true)
  }

  return {
    async removeMessages(threadId, ids, { owner, ...options } = {}) {
      const entity = threadEntity(threadId)
      if (!Array.isArray(ids)) throw new KeepsakeError('invalid_value', 'ids must be a list of message ids.')
      let removed = 0
      for (let attempt = 0; ;) {
        const { head, appends } = await readThread<T>(store, entity, Infinity, clock.nowMs(), options)
        checkOwner(head, owner)
        const present = new Set(appends.flatMap((append) => append.messages.map(({ id }) => id)))
        const asked = new Set(ids.filter((id) => present.has(id)))
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

    async clear(threadId, { owner, ...options } = {}) {
      const entity = threadEntity(threadId)
      for (let attempt = 0; ;) {
        const { head, newestSeq } = await readThread<T>(store, entity, 1, clock.nowMs(), options)
        if (head === undefined) return
        checkOwner(head, owner)
        if (!head.live) return removeCleared(entity, head.clearedSeq, options)
        // The head goes first: from then on nothing older shows, even if it lands later.
        const seq = clock.nextSeq(Math.max(head.row.seq, newestSeq))
        const [result] = await store.write([headWrite(entity, head, seq)], options)
        if (result!.status === 'applied') {
          if (head.owner !== undefined) {
            await store.remove([{ entity: ownerEntity(head.owner), key: listKey(head.createdSeq, threadId) }], options)
          }
          return removeCleared(entity, seq, options)
        }
        await backoff(++attempt, 'Clearing a thread', options.signal)
      }
    },
  }

  /** The head of a cleared thread: no owner, nothing of its content, and gone itself after a while. */
  function headWrite(entity: string, { row, createdSeq }: Head, seq: number): RowWrite {
    const nowMs = clock.nowMs()
    const rec = encodeHead({ live: false, createdSeq, clearedSeq: seq }, nowMs, {}, clock.newId())
    return {
      entity,
      key: HEAD_KEY,
      seq,
      rec,
      updatedAtMs: nowMs,
      expiresAtMs: nowMs + TOMBSTONE_MS,
      guard: { seq: row.seq },
    }
  }
}
