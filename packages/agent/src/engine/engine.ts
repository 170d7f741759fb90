import type { JSONValue, LanguageModelV4 } from '@ai-sdk/provider'
import type { CallOptions, Clock, Listing, ListOptions, RowStore } from '@keepsake/core'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Activation, Outcome } from './activation.ts'
import { createEngineWith } from './create-engine-with.ts'
import type { DeadLetterInfo } from './dead-letters.ts'
import type { OnExpire } from './expiry/flush-to-longterm.ts'
import type { Compactor } from './memory/compactor.ts'

/** An event for an entity. Its id makes it one: the same id is never committed twice within `dedupeMs`. */
export interface EngineEvent<E> {
  entity: string
  event: { id: string; data: E }
}

export interface EngineOptions<E, O> {
  store: RowStore
  /**
   * Works one event. It may be run again from the start, and has to make the same calls then: its calls through the activation
   * are served from the journal, and everything else must follow from them, the event and the memory.
   */
  handler: (activation: Activation<E>) => Promise<O>
  /** Checks (and may transform) the data of events before anything is written. Any Standard Schema. */
  event?: StandardSchemaV1<unknown, E>
  /** Whose personal data an entity's rows are. Default: the entity's name. */
  subject?: (event: { entity: string; data: E }) => string
  /** For `callModel` and the summarizer. */
  model?: LanguageModelV4
  /** Long-term memory: a store, or an address that `@keepsake/open` opens. Left out: there is none. */
  longterm?: RowStore | string
  /** What makes room in working memory. Default: `dropOldestCompactor()`; `null`: a write that does not fit is refused. */
  compactor?: Compactor | null
  /** `summarizeCompactor(…)`: folds old items of lists by the model. */
  summarizer?: Compactor
  /** How long after its last commit an entity's working memory is wiped, in milliseconds. Left out: never. */
  ttlMs?: number
  /** `flushToLongterm()`: where working memory goes before it is wiped. */
  onExpire?: OnExpire
  /** How long one attempt at an event may take, in milliseconds: 600,000 by default. */
  timeoutMs?: number
  /** After how long without a sign of life others take an event over, in milliseconds: 30,000 by default. */
  leaseMs?: number
  /** How long `activate` waits for an entity that is busy, in milliseconds: 0 by default. */
  waitMs?: number
  /** How long results and dead letters are kept for deliveries of the same event, in milliseconds: 30 days by default. */
  dedupeMs?: number
  /** Default: the process's. */
  clock?: Clock
}

/**
 * Works events, one at a time for each entity, so that each is committed exactly once whatever dies in between. Any number of
 * engines, in any number of processes, may stand on one store; all of one store must have the same handler.
 */
export interface Engine<E, O> extends AsyncDisposable {
  /** Puts an event into its entity's inbox: once this returns it is durable, and some `work` will work it, in order. */
  submit(event: EngineEvent<E>, options?: CallOptions): Promise<void>
  /**
   * Works an event now, past the inbox: for callers whose own delivery repeats what was not acknowledged. Delivered again, a
   * committed event gives its result. Rejects with the store's errors (deliver it again) and `invalid_value` for bad input.
   */
  activate(event: EngineEvent<E>, options?: CallOptions): Promise<Outcome<O>>
  /** Answers the open question of an entity, and goes on with its event. The first answer counts. */
  resume(
    answer: { entity: string; questionId: string; answer: JSONValue },
    options?: CallOptions,
  ): Promise<Outcome<O> | { status: 'already_answered' }>
  /** Makes a dead letter of a suspended event. Throws `conflict` where it is not suspended. */
  abandon(event: { entity: string; eventId: string }, options?: CallOptions): Promise<void>
  /**
   * Runs a dead letter again. With `journal: 'keep'` (default) calls that had succeeded are not made again, but for those
   * that were asked after a call had failed and could know of it, as long as nothing else of the entity was committed, and
   * its working memory has not expired, since; `journal` of the result says whether they were kept.
   */
  retry(
    event: { entity: string; eventId: string; journal?: 'keep' | 'drop' },
    options?: CallOptions,
  ): Promise<Outcome<O> & { journal: 'keep' | 'drop' }>
  /** Events that failed, of all entities. */
  deadLetters(options?: ListOptions): Listing<DeadLetterInfo>
  /** Wipes working memory whose time is over, and makes dead letters of suspended events whose time is over. */
  sweep(options?: CallOptions): Promise<{ expired: number }>
  /**
   * Works what is submitted, unfinished or expired, of `concurrency` (1) entities at a time, until the signal fires or the
   * engine is closed; events that are under way then are finished first.
   */
  work(options?: CallOptions & { concurrency?: number }): Promise<void>
  /** Waits for what is under way. Closes long-term memory that was given as an address, and no store that was passed in. */
  close(): Promise<void>
}

/**
 * Puts an engine together. Nothing is read, opened or started. Throws `invalid_value` for options that cannot be used.
 *
 * ```ts
 * const engine = createEngine({
 *   store,
 *   handler: async ({ event, memory, step }) => {
 *     const receipt = await step('charge', () => charge(event.data))
 *     await memory.append(['receipts'], receipt)
 *     return receipt
 *   },
 * })
 * await engine.submit({ entity: 'ada', event: { id: 'order-17', data: { cents: 500 } } })
 * await engine.work({ signal })
 * ```
 */
export function createEngine<E, O>(options: EngineOptions<E, O>): Engine<E, O> {
  return createEngineWith(options)
}
