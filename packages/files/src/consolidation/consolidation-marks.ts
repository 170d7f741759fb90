import {
  records,
  type CallOptions,
  type Clock,
  type Message,
  type Owner,
  type RowStore,
  type Stored,
} from '@keepsake/core'
import type { ConsolidationAnswer } from './consolidation-answer.ts'

/** How far a thread has been consolidated. */
export interface ConsolidationMark {
  /** The newest messages that are done, the newest last: some of them may be removed from the thread. */
  doneIds: string[]
  /** When the newest of them was stored, in Unix milliseconds. */
  doneAtMs: number
  /** Who works on the thread, and until when nobody else does. */
  claim?: { id: string; untilMs: number }
  /** An answer that is to be written to the files, for the messages up to these. Once it is here, no model is asked again. */
  pending?: {
    id: string
    answer: ConsolidationAnswer
    writable: string[]
    /** What of the messages is not to be trusted. */
    sources?: string[]
    doneIds: string[]
    doneAtMs: number
    messages: number
  }
}

/** Ids that a mark keeps. */
const KEPT_IDS = 16
/** What is read first of a thread: mostly there is nothing new. */
const FIRST_READ = 32

export interface MarkEntry {
  mark: ConsolidationMark
  /** `null`: the thread has no mark yet. */
  version: number | null
}

/** The marks of an owner's threads: records in a key space of their own. */
export interface ConsolidationMarks {
  get(threadId: string, options?: CallOptions): Promise<MarkEntry>
  /** Over exactly the mark that was read; `undefined` if somebody else has written it since. */
  put(threadId: string, mark: ConsolidationMark, over: MarkEntry, options?: CallOptions): Promise<MarkEntry | undefined>
}

export function consolidationMarks(store: RowStore, owner: Owner, clock: Clock): ConsolidationMarks {
  const marks = records<any>(store, owner, { area: 'fc', clock })
  return {
    async get(threadId, options = {}) {
      const entry = await marks.get([threadId], options)
      if (entry === undefined) return { mark: { doneIds: [], doneAtMs: 0 }, version: null }
      return { mark: entry.value as ConsolidationMark, version: entry.version }
    },
    async put(threadId, mark, over, options = {}) {
      const entry = await marks.put([threadId], mark, { ...options, ifVersion: over.version })
      return entry && { mark, version: entry.version }
    },
  }
}

/** The place in a thread up to which these messages reach. */
export function markOf(messages: readonly Stored<Message>[]): Pick<ConsolidationMark, 'doneIds' | 'doneAtMs'> {
  return {
    doneIds: messages.slice(-KEPT_IDS).map(({ id }) => id),
    doneAtMs: Math.max(...messages.map(({ createdAtMs }) => createdAtMs)),
  }
}

/**
 * The messages after a mark, oldest first. `read` gives the newest `last` of the thread. Costs about as much as there is
 * new, however long the thread is. Where every message that the mark knows was removed, their time decides.
 */
export async function messagesAfter(
  mark: ConsolidationMark,
  read: (last: number) => Promise<Stored<Message>[]>,
): Promise<Stored<Message>[]> {
  const done = new Set(mark.doneIds)
  for (let last = FIRST_READ; ; last *= 4) {
    const messages = await read(last)
    const newest = messages.findLastIndex(({ id }) => done.has(id))
    if (newest !== -1) return messages.slice(newest + 1)
    if (messages.length < last)
      return messages.filter(({ createdAtMs }) => done.size === 0 || createdAtMs > mark.doneAtMs)
  }
}
