import { checkMessages } from './check-messages.ts'
import type { ThreadOptions } from './chat-memory.ts'
import type { Clock } from '../clock.ts'
import { encodeEnvelope } from '../values/envelope.ts'
import { KeepsakeError } from '../errors.ts'
import { registerSubject } from '../lineage.ts'
import type { Message, Stored } from '../message.ts'
import { threadEntity, type Owner, checkedSubject } from '../owner.ts'
import type { Row, RowStore, RowWrite } from '../rows/row-store.ts'
import type { Storable } from '../values/normalise.ts'
import { complete, threadAppender } from './thread-appender.ts'
import { checkOwner } from './thread-owner.ts'
import { appendValue, messagesIn, type AppendRow, type TurnMark, type TurnRef } from './append-row.ts'
import { readThread } from './read-thread.ts'
import { appendKey, keyInLife, idClaimKey, RUNS_HEAD_KEY, type Place } from './thread-keys.ts'

/** A thread as a run finds it. */
export interface ReadTurns {
  messages: Stored<Message>[]
  /** Which of the thread's lives it is; left out: it does not live. */
  life: number | undefined
  owner: string | undefined
  /** The version of its newest append: what comes next is after it. */
  newestSeq: number
}

/** The turn of a run, as one row of the thread that counts with the run's commit. */
export interface TurnDraft {
  threadId: string
  messages: readonly Message[]
  /** The thread as the run found it. */
  read: Pick<ReadTurns, 'life' | 'newestSeq'>
  owner: string | undefined
  subject: Owner | undefined
}

/**
 * How durable runs add to threads: for engines, beside {@link chatMemory}, which shows what they added. A turn is a row that
 * is written with its run's commit and names it; the head of the runs, at `headKey`, whose value has the newest turn in `said`,
 * a {@link TurnPlace}, decides whether it counts.
 */
export interface ThreadTurns {
  readonly headKey: string
  /** Whose the thread is, and the head of its runs: one scan of three rows. Throws `wrong_owner`. */
  peek(threadId: string, options: ThreadOptions): Promise<{ runs: Row | undefined; live: boolean; life: number }>
  /** Reads the thread. One scan. Throws `wrong_owner`. */
  read(threadId: string, options: ThreadOptions): Promise<ReadTurns>
  /**
   * Makes the row of a turn for a commit. Where the thread does not live, it begins first, as one without messages. Throws
   * `conflict` for messages with ids that the thread has, `wrong_owner`, and `too_large`.
   */
  place(draft: TurnDraft, mark: TurnMark): Promise<{ row: RowWrite; messages: Stored<Message>[] }>
  /**
   * Copies a thread up to `count` messages of a turn into a new thread of the same owner. `beforeShown` is run when all
   * but the head is there: it has to make the turn count. Throws `conflict` where `to` is a thread.
   */
  copy(
    from: string,
    at: TurnRef & { count: number },
    to: string,
    options: ThreadOptions,
    beforeShown: () => Promise<void>,
  ): Promise<void>
  /** The messages that the row of a turn holds. */
  messagesIn(row: Row): Stored<Message>[]
  /** The appends and turns of a thread, newest first. */
  appends(threadId: string, options: ThreadOptions): Promise<AppendRow<Message>[]>
}

const COPY_ROWS = 100

function notThere(): KeepsakeError {
  return new KeepsakeError(
    'conflict',
    'The thread was changed meanwhile: the turn is not there any more. Nothing was forked.',
  )
}

export function threadTurns(store: RowStore, clock: Clock): ThreadTurns {
  const appender = threadAppender<Message>(store, { clock })

  async function refuseKnownIds(entity: string, life: number, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const claims = await store.load(ids.map((id) => ({ entity, key: idClaimKey(life, id) })))
    const known = new Set(
      (await readThread<Message>(store, entity, Infinity, clock.nowMs(), {})).appends.flatMap(({ messages }) =>
        messages.map(({ id }) => id),
      ),
    )
    if (claims.every((claim) => claim === undefined) && !ids.some((id) => known.has(id))) return
    throw new KeepsakeError(
      'conflict',
      'The thread has, or had, a message with one of these ids. Pass only what is new, or leave the ids out. Nothing was stored.',
    )
  }

  return {
    headKey: RUNS_HEAD_KEY,

    async peek(threadId, { owner, ...options }) {
      const thread = await readThread<Message>(store, threadEntity(threadId), 0, clock.nowMs(), options, 2)
      checkOwner(thread, owner)
      return { runs: thread.runs, live: thread.state === 'live', life: thread.head?.life ?? 0 }
    },

    async read(threadId, { owner, ...options }) {
      const thread = await readThread<Message>(store, threadEntity(threadId), Infinity, clock.nowMs(), options)
      checkOwner(thread, owner)
      const { head, state, newestSeq, appends } = thread
      const live = state === 'live'
      return {
        messages: appends.toReversed().flatMap(({ messages }) => messages),
        life: live ? head!.life : undefined,
        owner: live ? head!.owner : undefined,
        newestSeq: Math.max(newestSeq, head?.row.seq ?? 0),
      }
    },

    async place({ threadId, messages, read, owner, subject }, mark) {
      const entity = threadEntity(threadId)
      const checked = await checkMessages(messages, undefined)
      const whose = { ...(owner !== undefined && { owner }), ...(subject !== undefined && { subject }) }
      const { life, newestSeq } =
        read.life === undefined ? await appender.open(threadId, whose) : { ...read, life: read.life }
      // Each turn may be about somebody else; opening a thread has done it.
      if (read.life !== undefined && subject !== undefined)
        await registerSubject(store, checkedSubject(subject), [entity], clock)
      const ids = checked.flatMap(({ id }) => (id === undefined ? [] : [id]))
      await refuseKnownIds(entity, life, ids)
      const nowMs = clock.nowMs()
      const place: Place = { seq: clock.nextSeq(Math.max(newestSeq, mark.s)), id: clock.newId() }
      const stored = complete(checked, place, nowMs)
      const rec = encodeEnvelope({
        value: appendValue(stored, mark),
        createdAtMs: nowMs,
        writeIds: [clock.newId()],
        ...(owner !== undefined && { owner: [owner] }),
        ...(subject !== undefined && { subject: checkedSubject(subject) }),
      })
      const row = {
        entity,
        key: appendKey(life, place),
        seq: place.seq,
        rec,
        updatedAtMs: nowMs,
        guard: 'absent' as const,
      }
      return { row, messages: stored as unknown as Stored<Message>[] }
    },

    async copy(from, { s, ep, count }, to, { owner, ...options }, beforeShown) {
      const entity = threadEntity(to)
      const source = await readThread<Message>(store, threadEntity(from), Infinity, clock.nowMs(), options)
      checkOwner(source, owner)
      const place = await appender.begin(to, source.head?.owner, options, async (life) => {
        const first = source.appends.findIndex(({ mark }) => mark?.s === s && mark.ep === ep)
        if (first < 0) throw notThere()
        const rows = source.appends.slice(first).map(({ row, envelope, messages, mark }, index): RowWrite => {
          const kept = index === 0 ? messages.slice(0, count) : messages
          const value = appendValue(kept as unknown as Storable[], mark)
          const rec = encodeEnvelope({ ...envelope, value, writeIds: [clock.newId()] })
          const key = keyInLife(row.key, life)
          return { entity, key, seq: row.seq, rec, updatedAtMs: row.updatedAtMs, guard: 'absent' }
        })
        for (let at = 0; at < rows.length; at += COPY_ROWS) await store.write(rows.slice(at, at + COPY_ROWS), options)
        await beforeShown()
      })
      if (place) return
      throw new KeepsakeError('conflict', 'The thread `to` exists already. Nothing was forked; take another id.')
    },

    messagesIn: (row) => messagesIn<Message>(row),

    async appends(threadId, { owner, ...options }) {
      const thread = await readThread<Message>(store, threadEntity(threadId), Infinity, clock.nowMs(), options)
      checkOwner(thread, owner)
      return thread.appends
    },
  }
}
