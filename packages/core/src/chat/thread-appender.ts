import type { AppendOptions, ChatMemory, ChatMemoryOptions } from './chat-memory.ts'
import { backoff } from '../backoff.ts'
import { checkMessages, type CheckedMessage } from './check-messages.ts'
import type { Clock } from '../clock.ts'
import { encodeEnvelope } from '../values/envelope.ts'
import type { Key } from '../rows/keys.ts'
import { registerSubject } from '../lineage.ts'
import type { AnyMessage, Stored } from '../message.ts'
import { checkedSubject, ownerEntity, threadEntity } from '../owner.ts'
import { checkRecordSize } from '../records/record-rows.ts'
import type { Bytes, CallOptions, RowStore } from '../rows/row-store.ts'
import { checkIsSchema } from '../values/standard-schema.ts'
import { checkOpId, claimAppend, operationOf } from './thread-claims.ts'
import { listKey } from './thread-lister.ts'
import { checkOwner, checkOwnerOption } from './thread-owner.ts'
import { appendKey, encodeHead, HEAD_KEY, messagesIn, readThread, type ReadThread, removeLives } from './thread-rows.ts'
import { checkTtl } from '../ttl.ts'

interface AppenderOptions<T> extends ChatMemoryOptions<T> {
  clock: Clock
}

/** Whose an append is. */
interface Lineage {
  owner?: Key
  subject?: Key
}

/** `append` of {@link ChatMemory}. */
export function threadAppender<T extends AnyMessage>(
  store: RowStore,
  { clock, ttlMs, schema }: AppenderOptions<T>,
): ChatMemory<T>['append'] {
  checkTtl(ttlMs)
  checkIsSchema(schema)

  function encodeAppend(messages: CheckedMessage[], lineage: Lineage): Bytes {
    const nowMs = clock.nowMs()
    const rec = encodeEnvelope({
      value: messages,
      createdAtMs: nowMs,
      writeIds: [clock.newId()],
      ...lineage,
      ...(ttlMs !== undefined && { expiresAtMs: nowMs + ttlMs }),
    })
    checkRecordSize(store, rec, 'This append')
    return rec
  }

  /**
   * Begins life `seq` of a thread: lists it for its owner, then writes the head. Nothing of the thread's content is written
   * before it is won. Returns whether it was, or somebody else began or cleared the thread at the same time.
   */
  async function begin(
    threadId: string,
    seq: number,
    before: ReadThread<T>,
    lineage: Lineage,
    options: CallOptions,
  ): Promise<boolean> {
    const entity = threadEntity(threadId)
    const nowMs = clock.nowMs()
    const rec = encodeHead({ live: true, life: seq }, nowMs, lineage, clock.newId())
    const row = { seq, rec, updatedAtMs: nowMs }
    const listed = lineage.owner && { entity: ownerEntity(lineage.owner), key: listKey(seq, threadId), ...row }
    if (listed !== undefined) await store.write([listed], options)
    const { head } = before
    const guard = head === undefined ? 'absent' : { seq: head.row.seq }
    const [result] = await store.write([{ entity, key: HEAD_KEY, ...row, guard }], options)
    if (result!.status === 'stale') {
      if (listed !== undefined && !(await isListed(entity, seq, lineage, options)))
        await store.remove([listed], options)
      return false
    }
    if (head?.live === true && head.owner !== undefined) {
      // Its time was up. What it held goes below.
      await store.remove([{ entity: ownerEntity(head.owner), key: listKey(head.life, threadId) }], options)
    }
    if (before.remains || head?.live === true) await removeLives(store, entity, seq - 1, options)
    return true
  }

  /** Whether the one who was faster began the same life of the same version for the same owner: then the list is theirs too. */
  async function isListed(entity: string, seq: number, { owner }: Lineage, options: CallOptions): Promise<boolean> {
    const { head } = await readThread<T>(store, entity, 1, clock.nowMs(), options)
    return head?.live === true && head.life === seq && head.owner === owner?.[0]
  }

  /** The subject's directory first: it has to know of a row before there is one. */
  async function register(entity: string, live: boolean, { owner, subject }: Lineage, options: CallOptions) {
    const entities = live || owner === undefined ? [entity] : [entity, ownerEntity(owner)]
    if (subject !== undefined) await registerSubject(store, subject, entities, clock, options)
    // The thread's first append did it for those that follow.
    if (owner !== undefined && !live) await registerSubject(store, owner, entities, clock, options)
  }

  return async (threadId, input, given = {}) => {
    checkOwnerOption(given)
    const { owner, opId, subject, ...options }: AppendOptions = given
    const entity = threadEntity(threadId)
    if (opId !== undefined) checkOpId(opId)
    const subjectKey = subject === undefined ? undefined : checkedSubject(subject)
    const checked = await checkMessages(input, schema)
    if (checked.length === 0) return []
    const messages = complete(checked, clock)
    const operation = await operationOf(opId, checked)

    for (let attempt = 0; ; await backoff(++attempt, 'Beginning a thread', options.signal)) {
      const thread = await readThread<T>(store, entity, 1, clock.nowMs(), options)
      checkOwner(thread, owner)
      const { head, live, newestSeq } = thread
      const whose = live ? head!.owner : owner
      const lineage: Lineage = {
        ...(whose !== undefined && { owner: [whose] }),
        ...(subjectKey !== undefined && { subject: subjectKey }),
      }
      const seq = clock.nextSeq(Math.max(newestSeq, head?.row.seq ?? 0))
      // What is too large is refused here, before anything is written.
      const rec = encodeAppend(messages, lineage)
      await register(entity, live, lineage, options)
      if (!live && !(await begin(threadId, seq, thread, lineage, options))) continue

      const life = live ? head!.life : seq
      const place =
        operation === undefined
          ? seq
          : await claimAppend(store, { entity, life, operation, checked, seq, clock }, options)
      const row = {
        entity,
        key: appendKey(life, place, operation?.at(-1) ?? clock.newId()),
        seq: place,
        rec,
        updatedAtMs: clock.nowMs(),
        guard: 'absent' as const,
      }
      const [result] = await store.write([row], options)
      if (result!.status === 'applied') return messages as unknown as Stored<T>[]
      // A repeat: the first attempt stored it, and somebody may have removed it since.
      const [first] = await store.load([row], options)
      return first === undefined ? [] : messagesIn<T>(first)
    }
  }
}

function complete(messages: readonly CheckedMessage[], clock: Clock): CheckedMessage[] {
  const nowMs = clock.nowMs()
  return messages.map((message) => ({
    ...message,
    id: message.id ?? clock.newId(),
    createdAtMs: message.createdAtMs ?? nowMs,
  }))
}
