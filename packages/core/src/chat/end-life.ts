import type { Clock } from '../clock.ts'
import { ownerEntity, threadEntity } from '../owner.ts'
import { TOMBSTONE_MS } from '../records/record-rows.ts'
import type { CallOptions, RowStore } from '../rows/row-store.ts'
import { removeLives } from './remove-lives.ts'
import { encodeHead, type Head } from './thread-head.ts'
import { HEAD_KEY, listKey } from './thread-keys.ts'

/**
 * Ends the life of a thread and removes its rows and its place in the owner's list. Returns whether it did, or somebody
 * else wrote the head since it was read: then nothing happened.
 */
export async function endLife(
  store: RowStore,
  clock: Clock,
  threadId: string,
  { row, life, owner }: Head,
  options: CallOptions,
): Promise<boolean> {
  const entity = threadEntity(threadId)
  const nowMs = clock.nowMs()
  // The head goes first: from then on nothing shows, even if it lands later. What stays of it has no owner, nothing of the
  // thread's content, and goes by itself after a while.
  const dead = {
    entity,
    key: HEAD_KEY,
    seq: clock.nextSeq(row.seq),
    rec: encodeHead({ live: false, life, first: undefined }, nowMs, {}, clock.newId()),
    updatedAtMs: nowMs,
    expiresAtMs: nowMs + TOMBSTONE_MS,
    guard: { seq: row.seq },
  }
  const [result] = await store.write([dead], options)
  if (result!.status === 'stale') return false
  if (owner !== undefined) {
    await store.remove([{ entity: ownerEntity(owner), key: listKey(life, threadId) }], options)
  }
  await removeLives(store, entity, life, options)
  return true
}
