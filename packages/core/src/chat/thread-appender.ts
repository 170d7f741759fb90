import type { AppendOptions, ChatMemory, ChatMemoryOptions } from './chat-memory.ts'
import { backoff } from '../backoff.ts'
import { checkMessages, type CheckedMessage } from './check-messages.ts'
import type { Clock } from '../clock.ts'
import { beingErased } from '../erasure/fence.ts'
import { encodeEnvelope } from '../values/envelope.ts'
import type { Key } from '../rows/keys.ts'
import { registerSubject } from '../lineage.ts'
import type { AnyMessage, Stored } from '../message.ts'
import { checkedSubject, ownerEntity, threadEntity } from '../owner.ts'
import { checkRecordSize } from '../records/record-rows.ts'
import type { Bytes, CallOptions, RowStore } from '../rows/row-store.ts'
import { checkIsSchema } from '../values/standard-schema.ts'
import { checkOpId, claimAppend, operationOf, PATIENCE } from './thread-claims.ts'
import { checkOwner, checkOwnerOption } from './thread-owner.ts'
import { isRevoked, messagesIn } from './append-row.ts'
import { readThread, type ReadThread } from './read-thread.ts'
import { removeLives } from './remove-lives.ts'
import { revoke } from './revoke.ts'
import { encodeHead } from './thread-head.ts'
import { appendKey, HEAD_KEY, listKey, messageIdAt, type Place, placeName } from './thread-keys.ts'
import { checkTtl } from '../ttl.ts'

/** So many looks at a beginning at most. */
const MAX_PATIENCE = 50

interface AppenderOptions<T> extends ChatMemoryOptions<T> {
  clock: Clock
}

/** Whose an append is. */
interface Lineage {
  owner?: Key
  subject?: Key
}

export interface ThreadAppender<T extends AnyMessage> {
  append: ChatMemory<T>['append']
  /** Appends nothing, so that the thread lives and is its owner's. Returns its life, and its newest version. */
  open(
    threadId: string,
    options: Omit<AppendOptions, 'opId'>,
  ): Promise<{ life: number; newestSeq: number; owner: string | undefined }>
  /**
   * Begins a thread that does not live, once `fill` has written what it begins with. Returns whether it did: not where it
   * lives, or somebody else began it.
   */
  begin(
    threadId: string,
    owner: string | undefined,
    options: CallOptions,
    fill: (life: number) => Promise<void>,
  ): Promise<boolean>
}

/** `append` of {@link ChatMemory}, and how a thread begins. */
export function threadAppender<T extends AnyMessage>(
  store: RowStore,
  { clock, ttlMs, schema }: AppenderOptions<T>,
): ThreadAppender<T> {
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
   * Begins the life of a thread whose first append will stand at `first`: lists it for its owner, then writes the head.
   * Nothing of the thread's content is written before it is won. Returns whether it was, or somebody else began or cleared
   * the thread at the same time.
   */
  async function begin(
    threadId: string,
    first: Place,
    { head, state, remains }: ReadThread<T>,
    lineage: Lineage,
    options: CallOptions,
  ): Promise<boolean> {
    const entity = threadEntity(threadId)
    const { seq } = first
    const nowMs = clock.nowMs()
    // Who began it before and has not appended yet must not do so after it has become another's.
    const failed = state === 'beginning' && head?.first !== undefined
    if (failed && !(await revoke(store, entity, head.life, head.first!, nowMs, options))) return false
    const rec = encodeHead({ live: true, life: seq, first }, nowMs, lineage, clock.newId())
    const row = { seq, rec, updatedAtMs: nowMs }
    const listed = lineage.owner && { entity: ownerEntity(lineage.owner), key: listKey(seq, threadId), ...row }
    if (listed !== undefined) await store.write([listed], options)
    const guard = head === undefined ? 'absent' : { seq: head.row.seq }
    const [result] = await store.write([{ entity, key: HEAD_KEY, ...row, guard }], options)
    if (result!.status === 'stale') {
      if (listed !== undefined && !(await isListed(entity, seq, lineage, options)))
        await store.remove([listed], options)
      return false
    }
    if (head?.live === true && head.owner !== undefined) {
      // Its time was up, or it never was. What it held goes below.
      await store.remove([{ entity: ownerEntity(head.owner), key: listKey(head.life, threadId) }], options)
    }
    if (failed && head.life > 0) await removeLives(store, entity, head.life - 1, { ...options, keepMarks: true })
    else if (remains || head?.live === true) await removeLives(store, entity, seq - 1, options)
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

  async function appendChecked(
    threadId: string,
    checked: CheckedMessage[],
    given: AppendOptions,
  ): Promise<{ messages: Stored<T>[]; life: number; newestSeq: number; owner: string | undefined }> {
    const { owner, opId, subject, ...options } = given
    const entity = threadEntity(threadId)
    const subjectKey = subject === undefined ? undefined : checkedSubject(subject)
    const operation = await operationOf(opId, checked)
    const nowMs = clock.nowMs()
    /** The thread that somebody else has begun, and is given time to append to. */
    let met = { seq: -1, since: 0, patience: PATIENCE / 2 }

    for (let attempt = 0; ; await backoff(++attempt, 'Appending', options.signal)) {
      const thread = await readThread<T>(store, entity, 0, clock.nowMs(), options)
      checkOwner(thread, owner)
      const { head, state, newestSeq } = thread
      // Read with the thread and not after the write: who was faster than the fence has landed before the last pass.
      if (head?.erased) throw beingErased()
      if (state === 'beginning') {
        // Each that is met is given longer: where all are slow, taking over would only be taken over.
        if (head!.row.seq !== met.seq) met = { seq: head!.row.seq, since: attempt, patience: met.patience * 2 }
        if (attempt - met.since < Math.min(met.patience, MAX_PATIENCE)) continue
      }
      const live = state === 'live'
      const whose = live ? head!.owner : owner
      if (live && checked.length === 0) return { messages: [], life: head!.life, newestSeq, owner: whose }
      const lineage: Lineage = {
        ...(whose !== undefined && { owner: [whose] }),
        ...(subjectKey !== undefined && { subject: subjectKey }),
      }
      const own: Place = { seq: clock.nextSeq(Math.max(newestSeq, head?.row.seq ?? 0)), id: clock.newId() }
      const messages = complete(checked, own, nowMs)
      // What is too large is refused here, before anything is written.
      const rec = encodeAppend(messages, lineage)
      await register(entity, live, lineage, options)
      if (!live && !(await begin(threadId, own, thread, lineage, options))) continue

      const life = live ? head!.life : own.seq
      const place = await claimAppend(store, { entity, life, operation, checked, place: own, clock }, options)
      const row = {
        entity,
        key: appendKey(life, place),
        seq: place.seq,
        rec: placeName(place) === placeName(own) ? rec : encodeAppend(complete(checked, place, nowMs), lineage),
        updatedAtMs: clock.nowMs(),
        guard: 'absent' as const,
      }
      const [result] = await store.write([row], options)
      const at = { life, newestSeq: Math.max(newestSeq, place.seq), owner: whose }
      if (result!.status === 'applied')
        return { messages: complete(checked, place, nowMs) as unknown as Stored<T>[], ...at }
      // A repeat, whose first attempt stored it: somebody may have removed it since. Or its place was revoked.
      const [first] = await store.load([row], options)
      if (first === undefined) return { messages: [], ...at }
      if (!isRevoked(first)) return { messages: messagesIn<T>(first), ...at }
    }
  }

  return {
    async append(threadId, input, given = {}) {
      checkOwnerOption(given)
      const { opId, subject } = given
      threadEntity(threadId)
      if (opId !== undefined) checkOpId(opId)
      if (subject !== undefined) checkedSubject(subject)
      const checked = await checkMessages(input, schema)
      return checked.length === 0 ? [] : (await appendChecked(threadId, checked, given)).messages
    },
    async begin(threadId, owner, options, fill) {
      const thread = await readThread<T>(store, threadEntity(threadId), 0, clock.nowMs(), options)
      if (thread.state === 'live') return false
      const lineage: Lineage = owner === undefined ? {} : { owner: [owner] }
      const first: Place = {
        seq: clock.nextSeq(Math.max(thread.newestSeq, thread.head?.row.seq ?? 0)),
        id: clock.newId(),
      }
      await register(threadEntity(threadId), false, lineage, options)
      await fill(first.seq)
      return begin(threadId, first, thread, lineage, options)
    },
    open: (threadId, options) => appendChecked(threadId, [], options),
  }
}

/** Messages as they are stored at a place. */
export function complete(messages: readonly CheckedMessage[], place: Place, nowMs: number): CheckedMessage[] {
  return messages.map((message, index) => ({
    ...message,
    id: message.id ?? messageIdAt(place, index),
    createdAtMs: message.createdAtMs ?? nowMs,
  }))
}
