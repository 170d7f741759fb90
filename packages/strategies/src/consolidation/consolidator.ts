import type { JSONValue, LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider'
import {
  describeType,
  KeepsakeError,
  systemClock,
  throwIfAborted,
  untrustedSources,
  type ChatMemory,
  type Clock,
  type Key,
  type Message,
  type Records,
  type Stored,
  type ThreadOptions,
} from '@keepsake/core'
import { approxTokens } from '../approx-tokens.ts'
import { checkCount } from '../check-count.ts'
import { contentId } from '../content-id.ts'
import type { CountTokens } from '../message-tokens.ts'
import { messageCounter } from '../message-counter.ts'
import type { PrepareContext, PrepareStep } from '../prepare.ts'
import { reportFailure, type OnError } from '../report-failure.ts'
import { askForSummary } from '../summaries/ask-for-summary.ts'
import { checkModel } from '../summaries/check-model.ts'
import { chunkTexts, unitText } from '../summaries/conversation-text.ts'
import type { SummaryRequest } from '../summaries/summary-prompt.ts'
import { splitUnits } from '../units.ts'
import { firstAfter, passedWith, watermarks, type StoredWatermark } from './watermark.ts'

export interface ConsolidatorOptions {
  /** Writes the summaries. A small one will do. */
  model: LanguageModelV4
  /** Where the threads are. */
  chat: ChatMemory<Message>
  /**
   * Long-term memory: records of the owner. Summaries are put below `prefix`, watermarks below `['consolidated']`. A
   * function may say that a thread has none.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- values of any shape may lie beside them
  memories: Records<any> | ((context: PrepareContext) => Records<any> | undefined)
  /** Default `['memories']`. */
  prefix?: Key
  /** A thread with more messages than this after its watermark is consolidated. Default 50. */
  maxMessages?: number
  /** How long a summary is at most, in tokens. Default 500. */
  summaryTokens?: number
  /** What one call of the model is given of the conversation, in tokens. Default 50,000. */
  maxInputTokens?: number
  /** Default `approxTokens`. */
  count?: CountTokens
  /** Replaces the default prompt, `summaryPrompt`. */
  prompt?: (request: SummaryRequest) => LanguageModelV4Prompt
  /** Hears of what failed. Default: a warning without content on the console. */
  onError?: OnError
  /** Default: the process's. */
  clock?: Clock
}

/** What `consolidate` stores: a memory that records with an index find again. */
export interface ConsolidatedMemory {
  content: string
  metadata: { type: 'conversation_summary'; messageCount: number; threadId: string }
}

export interface Consolidator {
  /**
   * A step that leaves out what lies before the thread's watermark. One read. System messages stay. Cleared with its thread,
   * the watermark goes; the memories stay.
   */
  prepare: PrepareStep
  /**
   * Consolidates a thread if it is long enough: call it after a run was stored. Gives the key of the memory, or
   * `undefined` where nothing was due, another is at it, or it failed.
   */
  consolidate(context: PrepareContext & { threadId: string }): Promise<string[] | undefined>
}

/** A claim of somebody who says nothing for so long is taken over, with the same messages. */
const CLAIM_MS = 600_000
const MOST_CALLS = 8
const WATERMARKS: Key = ['consolidated']

/**
 * Moves the oldest half of long threads into long-term memory. When a thread has more than `maxMessages` messages after its
 * watermark, its oldest half (moved to a unit's edge) is summarised into one memory with the messages' ids as `sources`,
 * and then the watermark moves: what lies before it is no longer sent, and stays stored.
 *
 * Safe beside others: who consolidates first claims the messages by compare-and-set, the memory's key is made of their ids,
 * and it is only ever created, so the same messages are stored once and nothing of others is overwritten. If the process
 * dies, the next one after 10 minutes goes on with the same messages. If the model fails nothing is stored, the watermark
 * stays, and it is tried again after the next run.
 *
 * A memory of messages that were made after reading untrusted content is in quarantine: until it is approved, nothing shows
 * what it stands for but the thread itself.
 *
 * Costs one read of as many messages as came after the watermark, twice at most. Recalled memories are not taken in.
 */
export function consolidator(options: ConsolidatorOptions): Consolidator {
  const { model, chat, memories, prefix = ['memories'], prompt, onError, clock = systemClock() } = options
  const { maxMessages = 50, summaryTokens = 500, maxInputTokens = 50_000, count = approxTokens } = options
  checkModel('consolidator', model)
  if (typeof chat?.messages !== 'function') throw invalid('chat', 'a chat memory, such as chatMemory(store)', chat)
  if (typeof memories !== 'function' && typeof memories?.put !== 'function')
    throw invalid('memories', 'records, or a function that gives them', memories)
  checkCount('consolidator: maxMessages', maxMessages, 2, Number.MAX_SAFE_INTEGER)
  checkCount('consolidator: summaryTokens', summaryTokens, 1, Number.MAX_SAFE_INTEGER)
  checkCount('consolidator: maxInputTokens', maxInputTokens, 1, Number.MAX_SAFE_INTEGER)
  const counter = messageCounter('consolidator', count)

  function recordsOf(context: PrepareContext): Records<JSONValue> | undefined {
    return typeof memories === 'function' ? memories(context) : memories
  }

  /** The messages after the watermark, system messages left out. Reads no more of the thread than it must. */
  async function unconsolidated(
    threadId: string,
    { value }: StoredWatermark,
    { owner, signal }: PrepareContext,
  ): Promise<Stored<Message>[]> {
    for (let last = 2 * maxMessages; ; last *= 2) {
      const messages = await chat.messages(threadId, { ...(owner !== undefined && { owner }), last, signal })
      const start = firstAfter(messages, value)
      if (start === 0 && messages.length === last) continue
      return messages.slice(start).filter(({ role }) => role !== 'system')
    }
  }

  /** What is due: the ids of the oldest half, from the first unit to an edge. */
  function dueIds(messages: readonly Stored<Message>[]): string[] {
    if (messages.length <= maxMessages) return []
    const places = new Map(messages.map((message, index) => [message, index]))
    let end = 0
    // The newest unit stays: a call in it may still be answered.
    for (const unit of splitUnits(messages).slice(0, -1)) {
      const unitEnd = places.get(unit.at(-1)!)! + 1
      if (end > 0 && unitEnd > messages.length / 2) break
      end = unitEnd
    }
    return messages.slice(0, end).map(({ id }) => id)
  }

  async function summaryOf(messages: readonly Message[], signal: AbortSignal | undefined): Promise<string | undefined> {
    const texts = splitUnits(messages)
      .map(unitText)
      .filter((text) => text !== '')
    let text: string | undefined
    for (const conversation of chunkTexts(texts, counter.count, { maxTokens: maxInputTokens, maxChunks: MOST_CALLS })) {
      throwIfAborted(signal)
      text = await askForSummary(
        { model, prompt },
        { conversation, priorSummary: text, maxTokens: summaryTokens },
        signal,
      )
    }
    return text
  }

  async function consolidateThread(
    records: Records<JSONValue>,
    context: PrepareContext & { threadId: string },
  ): Promise<string[] | undefined> {
    const { threadId, signal } = context
    const marks = watermarks(records, WATERMARKS)
    const mark = await marks.read(threadId, { signal })
    const { claim } = mark.value
    const nowMs = clock.nowMs()
    if (claim !== undefined && nowMs - claim.atMs < CLAIM_MS) return undefined
    const messages = await unconsolidated(threadId, mark, context)
    const known = new Set(messages.map(({ id }) => id))
    const ids = claim !== undefined && claim.ids.every((id) => known.has(id)) ? claim.ids : dueIds(messages)
    if (ids.length === 0) return undefined
    const { passed, messageCount } = mark.value
    const claimed = await marks.move(threadId, mark, { passed, messageCount, claim: { ids, atMs: nowMs } }, { signal })
    if (claimed === undefined) return undefined

    const due = new Set(ids)
    const folded = messages.filter(({ id }) => due.has(id))
    let content: string | undefined
    try {
      content = await summaryOf(folded, signal)
    } catch (error) {
      // Free for the next run at once. If this fails too the claim runs out.
      await marks.move(threadId, claimed, { passed, messageCount }, {}).catch(() => undefined)
      throw error
    }
    const key = [...prefix, await contentId(['conversation_summary', threadId, ...ids])]
    if (content !== undefined) {
      const metadata = { type: 'conversation_summary', messageCount: ids.length, threadId } as const
      const memory: ConsolidatedMemory = { content, metadata }
      await records.put(key, memory as unknown as JSONValue, {
        ifVersion: null,
        sources: [...ids, ...untrustedSources(folded)],
        signal,
      })
    }
    const moved = { passed: passedWith(passed, ids), messageCount: messageCount + ids.length }
    await marks.move(threadId, claimed, moved, { signal })
    return content === undefined ? undefined : key
  }

  async function prepare(messages: readonly Message[], context: PrepareContext = {}): Promise<Message[]> {
    const { threadId, signal } = context
    const records = recordsOf(context)
    if (threadId === undefined || records === undefined) return [...messages]
    const read = async (): Promise<string[]> =>
      (await watermarks(records, WATERMARKS).read(threadId, { signal })).value.passed
    const passed = await (context.step === undefined ? read() : context.step('consolidated', read))
    const start = firstAfter(messages, { passed, messageCount: 0 })
    return messages.filter(({ role }, index) => index >= start || role === 'system')
  }

  async function clear(threadId: string, { signal, ...whose }: ThreadOptions = {}): Promise<void> {
    await recordsOf({ threadId, ...whose })?.delete([...WATERMARKS, threadId], { signal })
  }

  return {
    prepare: Object.assign(prepare, { clear }),

    async consolidate(context) {
      const { threadId, signal } = context
      const records = recordsOf(context)
      if (records === undefined) return undefined
      try {
        return await consolidateThread(records, context)
      } catch (error) {
        throwIfAborted(signal)
        reportFailure('A conversation was not consolidated', error, onError, threadId)
        return undefined
      }
    },
  }
}

function invalid(name: string, wanted: string, value: unknown): KeepsakeError {
  return new KeepsakeError('invalid_value', `consolidator: ${name} must be ${wanted}; it is ${describeType(value)}.`)
}
