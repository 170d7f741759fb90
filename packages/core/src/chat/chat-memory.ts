import type { StandardSchemaV1 } from '@standard-schema/spec'
import { systemClock, type Clock } from '../clock.ts'
import type { JSONValue } from '@ai-sdk/provider'
import type { Listing, ListOptions } from '../listing.ts'
import type { AnyMessage, Message, Stored } from '../message.ts'
import type { Owner } from '../owner.ts'
import { checkStore } from '../rows/check-store.ts'
import type { CallOptions, RowStore } from '../rows/row-store.ts'
import { threadAppender } from './thread-appender.ts'
import { threadLister } from './thread-lister.ts'
import { appendFinder, threadReader } from './thread-reader.ts'
import { threadRemover } from './thread-remover.ts'

/** A conversation, as a list of them shows it. */
export interface Thread {
  id: string
  owner?: string
  /** When its first message was appended, in Unix milliseconds. */
  createdAtMs: number
  /** When its newest message was appended, in Unix milliseconds. */
  updatedAtMs: number
  metadata?: Record<string, JSONValue>
}

export interface ThreadOptions extends CallOptions {
  /** Whose thread it must be: `wrong_owner` if it is somebody else's. Left out: not checked. Never `undefined`. */
  owner?: string
}

export interface AppendOptions extends ThreadOptions {
  /**
   * Names this append, so that a repeat stores nothing and returns what the first stored. If the first failed, the repeat
   * stores it in its place: before what was appended since, as it began earlier. Only where another call needed its ids or
   * its thread meanwhile does it get a new place.
   */
  opId?: string
  /** Whose personal data this is; default: the owner. */
  subject?: Owner
}

/** The history of conversations: whole turns, in order, never twice. */
export interface ChatMemory<T extends AnyMessage> {
  /**
   * Appends messages as one unit: all of them or none. Costs the same whatever the length of the thread: one read and
   * one write, three more writes and a read for a thread's first append, one more where there is an `opId` or messages bring ids, and
   * one more read where these have the form of ids that were given here. An append that begins after another has returned comes after it, whatever the clocks say.
   *
   * Messages without `id` and `createdAtMs` get them. Throws `wrong_owner` for a thread of another owner (its first
   * append that is stored decides), `conflict` for an `id` that the thread has or had, given by you or here: append only
   * what is new, not the whole history again. Also throws `invalid_value`, `invalid_key` and `too_large`
   * before anything is written.
   */
  append(threadId: string, messages: readonly T[], options?: AppendOptions): Promise<Stored<T>[]>
  /** The thread's messages, oldest first; with `last` only so many of the newest, at the cost of those. */
  messages(threadId: string, options?: ThreadOptions & { last?: number }): Promise<Stored<T>[]>
  /**
   * What an append with this `opId` stored, or `undefined` if the thread has none: asks before work is repeated. Costs three
   * reads, however long the thread is. Known for 30 days after the append.
   */
  appended(threadId: string, opId: string, options?: ThreadOptions): Promise<Stored<T>[] | undefined>
  /**
   * Threads: an owner's, newest first, or everybody's in the order of their ids. A page removes up to 20 threads for good
   * whose time it finds to be up.
   */
  threads(options?: ListOptions & { owner?: string }): Listing<Thread>
  /**
   * Removes messages by id, with those that make, answer or approve the same tool calls, and with results that answer no
   * call. Reads the whole thread. If it throws, some may be gone, but results before their calls: repeat it. Returns how
   * many went.
   */
  removeMessages(threadId: string, ids: readonly string[], options?: ThreadOptions): Promise<number>
  /** Removes the thread with everything in it. An append that was under way does not bring it back. */
  clear(threadId: string, options?: ThreadOptions): Promise<void>
}

export interface ChatMemoryOptions<T> {
  /**
   * A thread is gone, as a whole, so long after its newest append, in milliseconds: a whole number from 1. Removing
   * messages does not change when. Its rows are removed by the next append, `clear` or page of `threads` that meets it, not
   * by the backend. Left out: it stays.
   */
  ttlMs?: number
  /** Checks (and may transform) every message before it is stored. Any Standard Schema. */
  schema?: StandardSchemaV1<unknown, T>
  /** Default: the process's. */
  clock?: Clock
}

/**
 * Chat history on any store. Generic in what it keeps: {@link Message}, ai's `ModelMessage` or `UIMessage`, or your own
 * type with a `role`. Messages come back deeply equal, plus `id` and `createdAtMs`.
 *
 * ```ts
 * const chat = chatMemory<ModelMessage>(store)
 * await chat.append('t1', [{ role: 'user', content: 'Hello' }], { owner: 'ada' })
 * const recent = await chat.messages('t1', { last: 40 })
 * ```
 */
export function chatMemory<T extends AnyMessage = Message>(
  store: RowStore,
  options: ChatMemoryOptions<T> = {},
): ChatMemory<T> {
  checkStore(store)
  const clock = options.clock ?? systemClock()
  return {
    append: threadAppender<T>(store, { ...options, clock }).append,
    messages: threadReader<T>(store, clock),
    appended: appendFinder<T>(store, clock),
    threads: threadLister(store, clock),
    ...threadRemover<T>(store, clock),
  }
}
