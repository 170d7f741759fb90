import type { ChatMemory, ChatMemoryOptions } from './chat-memory.ts'
import { checkMessages, type CheckedMessage } from './check-messages.ts'
import type { Clock } from './clock.ts'
import { decodeEnvelope, encodeEnvelope } from './envelope.ts'
import { KeepsakeError } from './errors.ts'
import { checkRowText, checkText, type Key } from './keys.ts'
import { registerSubject } from './lineage.ts'
import type { AnyMessage, Stored } from './message.ts'
import { ownerEntity, ownerKey, threadEntity } from './owner.ts'
import { checkRecordSize } from './record-rows.ts'
import { MAX_KEY_BYTES, MAX_SEQ, type CallOptions, type RowStore, type RowWrite } from './row-store.ts'
import { claimAppend, operationOf } from './thread-claims.ts'
import { listKey } from './thread-lister.ts'
import { checkOwner, wrongOwner } from './thread-reader.ts'
import { threadRemover } from './thread-remover.ts'
import { appendKey, encodeHead, HEAD_KEY, readThread, type Head } from './thread-rows.ts'

interface AppenderOptions<T> extends ChatMemoryOptions<T> {
  clock: Clock
}

/** `append` of {@link ChatMemory}. */
export function threadAppender<T extends AnyMessage>(
  store: RowStore,
  { clock, ttlMs, schema }: AppenderOptions<T>,
): ChatMemory<T>['append'] {
  if (ttlMs !== undefined && (!Number.isSafeInteger(ttlMs) || ttlMs < 1)) {
    throw new KeepsakeError(
      'invalid_value',
      `ttlMs must be a whole number of milliseconds from 1; it is ${String(ttlMs)}.`,
    )
  }
  const { clear } = threadRemover<T>(store, clock)

  /** Reads where the thread ends. One that has expired is cleared first: what comes next begins a new one. */
  async function readEnd(threadId: string, entity: string, owner: string | undefined, options: CallOptions) {
    for (;;) {
      const thread = await readThread<T>(store, entity, 1, clock.nowMs(), options)
      if (!thread.expired) {
        checkOwner(thread.head, owner)
        return thread
      }
      await clear(threadId, options)
    }
  }

  function appendRow(entity: string, seq: number, id: string, messages: readonly CheckedMessage[], who: Who): RowWrite {
    const nowMs = clock.nowMs()
    const rec = encodeEnvelope({
      value: [...messages],
      createdAtMs: nowMs,
      writeIds: [clock.newId()],
      ...lineage(who),
      ...(ttlMs !== undefined && { expiresAtMs: nowMs + ttlMs }),
    })
    checkRecordSize(store, rec, 'This append')
    return { entity, key: appendKey(seq, id), seq, rec, updatedAtMs: nowMs, guard: 'absent' }
  }

  /** Begins a life of the thread: puts it into its owner's list, and returns the head that makes it live. */
  async function begin(
    threadId: string,
    seq: number,
    dead: Head | undefined,
    newestSeq: number,
    who: Who,
    options: CallOptions,
  ): Promise<RowWrite> {
    const nowMs = clock.nowMs()
    // What a cleared thread still holds, or what lands late, is older than this append.
    const clearedSeq = dead === undefined ? 0 : Math.max(dead.clearedSeq, Math.min(newestSeq, seq - 1))
    const rec = encodeHead({ live: true, createdSeq: seq, clearedSeq }, nowMs, lineage(who), clock.newId())
    if (who.owner !== undefined) {
      const listed = { entity: ownerEntity(who.owner), key: listKey(seq, threadId), seq, rec, updatedAtMs: nowMs }
      await store.write([listed], options)
    }
    return {
      entity: threadEntity(threadId),
      key: HEAD_KEY,
      seq,
      rec,
      updatedAtMs: nowMs,
      guard: dead === undefined ? 'absent' : { seq: dead.row.seq },
    }
  }

  /** After another append began the thread at the same time: fine if it is ours as well, else we take back what we wrote. */
  async function joinOrLeave(
    threadId: string,
    head: RowWrite,
    row: RowWrite,
    who: Who,
    options: CallOptions,
  ): Promise<void> {
    if (who.owner !== undefined) {
      await store.remove([{ entity: ownerEntity(who.owner), key: listKey(head.seq, threadId) }], options)
    }
    const winner = await readThread<T>(store, head.entity, 1, clock.nowMs(), options)
    if (winner.head?.live === true && winner.head.owner === who.owner) return
    await store.remove([row], options)
    throw wrongOwner()
  }

  return async (threadId, input, { owner, opId, subject, ...options } = {}) => {
    const entity = threadEntity(threadId)
    if (owner !== undefined) ownerEntity(owner)
    if (opId !== undefined) checkOpId(opId)
    const subjectKey = subject === undefined ? undefined : ownerKey(subject, 'subject')
    const checked = await checkMessages(input, schema)
    if (checked.length === 0) return []

    const { head, newestSeq } = await readEnd(threadId, entity, owner, options)
    const live = head?.live === true
    const who: Who = { owner: live ? head.owner : owner, subject: subjectKey }
    // Everything that can fail for its size fails here, before anything is written.
    const messages = complete(checked, clock)
    appendRow(entity, MAX_SEQ, opId ?? clock.newId(), messages, who)

    const registered = who.subject ?? (who.owner === undefined ? undefined : ownerKey(who.owner))
    if (registered !== undefined && (!live || who.subject !== undefined)) {
      const entities = live || who.owner === undefined ? [entity] : [entity, ownerEntity(who.owner)]
      await registerSubject(store, registered, entities, clock, options)
    }
    const freshSeq = clock.nextSeq(Math.max(newestSeq, head?.row.seq ?? 0))
    const operation = await operationOf(opId, checked)
    const seq =
      operation === undefined
        ? freshSeq
        : await claimAppend(
            store,
            {
              entity,
              operation,
              messageIds: checked.flatMap(({ id }) => (id === undefined ? [] : [id])),
              seq: freshSeq,
              clearedSeq: head?.clearedSeq ?? 0,
              nowMs: clock.nowMs(),
            },
            options,
          )
    const row = appendRow(entity, seq, operation?.at(-1) ?? clock.newId(), messages, who)
    const headWrite = live ? undefined : await begin(threadId, seq, head, newestSeq, who, options)
    const results = await store.write(headWrite === undefined ? [row] : [headWrite, row], options)
    if (headWrite !== undefined && results[0]!.status === 'stale') {
      await joinOrLeave(threadId, headWrite, row, who, options)
    }
    if (results.at(-1)!.status === 'applied') return messages as unknown as Stored<T>[]
    // A repeat: the first attempt stored it, and somebody may have removed it since.
    const [first] = await store.load([row], options)
    return first === undefined || first.rec.length === 0
      ? []
      : (decodeEnvelope(first.rec).value as unknown as Stored<T>[])
  }
}

interface Who {
  owner: string | undefined
  subject: Key | undefined
}

function lineage({ owner, subject }: Who): { owner?: Key; subject?: Key } {
  return { ...(owner !== undefined && { owner: [owner] }), ...(subject !== undefined && { subject }) }
}

function complete(messages: readonly CheckedMessage[], clock: Clock): CheckedMessage[] {
  const nowMs = clock.nowMs()
  return messages.map((message) => ({
    ...message,
    id: message.id ?? clock.newId(),
    createdAtMs: message.createdAtMs ?? nowMs,
  }))
}

function checkOpId(opId: string): void {
  checkText(opId, 'opId')
  if (opId === '')
    throw new KeepsakeError('invalid_key', 'opId is empty. Give the append a name of its own, or leave it out.')
  checkRowText(appendKey(MAX_SEQ, opId), 'opId, as stored,', MAX_KEY_BYTES)
}
