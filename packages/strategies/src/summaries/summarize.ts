import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider'
import {
  describeType,
  KeepsakeError,
  throwIfAborted,
  untrustedSources,
  type AnyMessage,
  type Key,
  type Message,
  type Records,
} from '@keepsake/core'
import { approxTokens } from '../approx-tokens.ts'
import { checkCount } from '../check-count.ts'
import { checkMessages } from '../check-messages.ts'
import { contentId } from '../content-id.ts'
import { messageCounter } from '../message-counter.ts'
import type { CountTokens } from '../message-tokens.ts'
import type { PrepareContext, PrepareStep } from '../prepare.ts'
import { reportFailure, type OnError } from '../report-failure.ts'
import { splitUnits } from '../units.ts'
import { askForSummary } from './ask-for-summary.ts'
import { checkModel } from './check-model.ts'
import { chunkTexts, unitText } from './conversation-text.ts'
import { isSummary, summaryMessage, summaryText } from './summary-message.ts'
import type { SummaryRequest } from './summary-prompt.ts'
import { processSummaries, storedSummaries, threadKey, type ThreadSummary } from './thread-summaries.ts'

export interface SummarizeOptions {
  /** Writes the summaries. A small one will do. */
  model: LanguageModelV4
  /** A prompt of more tokens than this is shortened. */
  triggerTokens: number
  /** How many of the newest messages stay as they are, at most; fewer where they do not fit. A whole number from 1. */
  keep: number
  /** Default `approxTokens`. */
  count?: CountTokens
  /** What a prompt has at most once it is shortened. Default three quarters of `triggerTokens`, so that it then grows for a while. */
  targetTokens?: number
  /** How long a summary is at most. Default an eighth of `triggerTokens`, but no more than 1,000. */
  summaryTokens?: number
  /** What one call of the model is given of the conversation. Default `triggerTokens`. */
  maxInputTokens?: number
  /**
   * Where summaries are kept, so that the next run and other processes use them: records of the owner or, where there is
   * none, of the thread. Default: in this process, of the thousand threads used last.
   */
  summaries?: Records<ThreadSummary> | ((context: PrepareContext) => Records<ThreadSummary> | undefined)
  /** Where in those records: default `['summaries']`, followed by the thread's id. */
  prefix?: Key
  /** Replaces the default prompt, {@link summaryPrompt}. Must give the same for the same request. */
  prompt?: (request: SummaryRequest) => LanguageModelV4Prompt
  /** Hears of summaries that failed. Default: a warning without content on the console. */
  onError?: OnError
}

/** Calls of the model for one summary, at most: what is too long for them is left out from its oldest end. */
const MOST_CALLS = 8

/** What is sent of a thread: a summary of its first units, and the others. */
interface Overlay {
  text: string
  /** How many of the messages it stands for. */
  messageCount: number
  /** What of the summary came from untrusted content. */
  untrusted?: readonly string[]
}

/**
 * A step that sends a summary in place of the oldest messages, once the prompt has more than `triggerTokens`. What is
 * stored stays as it is; system messages are never summarised; no call is parted from its results.
 *
 * - **Not again at once.** A shortened prompt has at most `targetTokens`, so it grows by the difference before the next
 *   summary. Where what must stay (system messages, the newest unit) is too large by itself, one summary is made, and the
 *   next when that difference has come together.
 * - **Kept, with lineage.** A summary is a record of its own that names the messages it stands for (`sources`) and the
 *   summary that it goes on from. It is used while exactly these messages begin the thread: not in a branch that parted
 *   before, and no longer when one of them was removed. `history.clear` removes the thread's. One of a conversation in
 *   which untrusted content was read is marked, and so is what is stored after reading it; its thread is sent it none the less.
 * - **Bounded.** The model is given at most `maxInputTokens` a call and called at most 8 times; long texts lose their middle.
 *   Memories that were recalled are not taken in.
 * - **Safe.** If the model fails, says nothing or does not shorten, the prompt is as it was, `onError` hears of it, nothing
 *   is stored, and it is tried again with the next user message. An abort rejects.
 *
 * Costs nothing below the trigger; above it one read, and a model call when a summary is made, all within
 * `context.step('summarize')`. Needs the thread from its beginning: put it before windows, and give `createHistory` no `last`.
 *
 * Throws `invalid_value` for options that cannot be used.
 */
export function summarize(options: SummarizeOptions): PrepareStep {
  const { model, triggerTokens, keep, count = approxTokens, onError, prompt } = options
  checkModel('summarize', model)
  checkCount('summarize: triggerTokens', triggerTokens, 1, Number.MAX_SAFE_INTEGER)
  checkCount('summarize: keep', keep, 1, Number.MAX_SAFE_INTEGER)
  const { targetTokens = Math.max(1, Math.floor(triggerTokens * 0.75)) } = options
  checkCount('summarize: targetTokens', targetTokens, 1, triggerTokens)
  const { summaryTokens = Math.max(1, Math.min(1_000, triggerTokens >>> 3)), maxInputTokens = triggerTokens } = options
  checkCount('summarize: summaryTokens', summaryTokens, 1, triggerTokens)
  checkCount('summarize: maxInputTokens', maxInputTokens, 1, Number.MAX_SAFE_INTEGER)
  const counter = messageCounter('summarize', count)
  const summaries = storedSummaries(
    recordsOption(options.summaries),
    options.prefix ?? ['summaries'],
    processSummaries(),
  )
  /** What a summary may have in a prompt, with its frame. */
  const room = counter.tokensOf(summaryMessage('')) + summaryTokens
  /** Of threads whose summary failed: the newest user message then. */
  const failed = new Map<string, string>()

  async function summaryOf(
    units: readonly Message[][],
    prior: string | undefined,
    context: PrepareContext,
  ): Promise<string | undefined> {
    const texts = units.map(unitText).filter((text) => text !== '')
    let text = prior
    const limits = { maxTokens: maxInputTokens, maxChunks: MOST_CALLS }
    for (const conversation of chunkTexts(texts, counter.count, limits)) {
      throwIfAborted(context.signal)
      const request = { conversation, priorSummary: text, maxTokens: summaryTokens }
      text = await askForSummary({ model, prompt }, request, context.signal)
    }
    const before = counter.sum(units.flat()) + (prior === undefined ? 0 : counter.count(prior))
    if (text === undefined) return undefined
    if (counter.tokensOf(summaryMessage(text)) >= before) {
      throw new KeepsakeError('invalid_value', 'The summary is no shorter than what it stands for.', {
        details: { reason: 'summary_did_not_shrink' },
      })
    }
    return text
  }

  async function prepare(messages: readonly Message[], context: PrepareContext = {}): Promise<Message[]> {
    checkMessages('summarize', messages)
    throwIfAborted(context.signal)
    if (counter.sum(messages) <= triggerTokens) return [...messages]
    const system = messages.filter(({ role }) => role === 'system')
    const shown = messages.find(isSummary)
    const others = messages.filter((message) => message.role !== 'system' && message !== shown)
    const places = new Map(others.map((message, index) => [message, index]))
    const units = splitUnits(others)
    const ends = units.map((unit) => places.get(unit.at(-1)!)! + 1)
    const fixed = counter.sum(system)
    const weights = units.map(counter.sum)
    const sumFrom = (unit: number): number => weights.slice(unit).reduce((sum, weight) => sum + weight, 0)
    const firstAfter = (messageCount: number): number => ends.findIndex((end) => end > messageCount)
    const sent = ({ text, messageCount, untrusted }: Overlay): Message[] => [
      ...system,
      summaryMessage(text, untrusted),
      ...units.slice(firstAfter(messageCount)).flat(),
    ]

    async function findPrior(): Promise<(Overlay & { id?: string }) | undefined> {
      // A list that a step shortened before, in a loop that goes on with it.
      if (shown !== undefined) return { text: summaryText(shown) ?? '', messageCount: 0, ...markOf([shown]) }
      for (const { text, messageCount, messagesId, untrusted } of await summaries.newest(context)) {
        const isCut = ends.includes(messageCount) && messageCount < ends.at(-1)!
        if (isCut && (await messagesIdOf(others.slice(0, messageCount))) === messagesId)
          return { text, messageCount, id: messagesId, ...(untrusted !== undefined && { untrusted }) }
      }
      return undefined
    }

    /** The first unit that stays: of the newest as many as fit, but always the newest. */
    function firstKept(): number {
      let first = units.length
      let tokens = fixed + room
      let messageCount = 0
      while (first > 0) {
        tokens += weights[first - 1]!
        messageCount += units[first - 1]!.length
        if (first < units.length && (tokens > targetTokens || messageCount > keep)) break
        first--
      }
      return first
    }

    async function shorten(prior: (Overlay & { id?: string }) | undefined): Promise<Overlay | undefined> {
      const from = prior === undefined ? 0 : firstAfter(prior.messageCount)
      const to = firstKept()
      const before = prior === undefined ? 0 : counter.tokensOf(summaryMessage(prior.text))
      if (fixed + before + sumFrom(from) <= triggerTokens || to <= from) return prior
      const folded = units.slice(from, to)
      const gain = counter.sum(folded.flat())
      if (before + gain <= room || (prior !== undefined && gain < triggerTokens - targetTokens)) return prior
      if (failed.get(threadKey(context)) === newestUser(others)) return prior
      const text = await summaryOf(folded, prior?.text, context)
      if (text === undefined) return prior
      const messageCount = ends[to - 1]!
      failed.delete(threadKey(context))
      const older = { role: 'user', content: '', untrusted: [...(prior?.untrusted ?? [])] } satisfies Message
      const mark = markOf([older, ...folded.flat()])
      if (shown !== undefined) return { text, messageCount, ...mark }
      const covered = others.slice(0, messageCount)
      const messagesId = await messagesIdOf(covered)
      const sources = covered.slice(prior?.messageCount ?? 0).flatMap(({ id }) => (id === undefined ? [] : [id]))
      const summary = {
        type: 'thread_summary',
        text,
        messageCount,
        messagesId,
        previousId: prior?.id,
        ...mark,
      } as const
      const derivedFrom = [...sources, ...(mark.untrusted ?? [])]
      return summaries.add(summary.previousId === undefined ? omitPrevious(summary) : summary, derivedFrom, context)
    }

    async function overlay(): Promise<Overlay | undefined> {
      const prior = await findPrior()
      try {
        return await shorten(prior)
      } catch (error) {
        throwIfAborted(context.signal)
        remember(failed, threadKey(context), newestUser(others))
        reportFailure('A conversation was not summarised', error, onError, context.threadId)
        return prior
      }
    }

    const found = await (context.step === undefined
      ? overlay()
      : context.step('summarize', async () => {
          const made = await overlay()
          if (made === undefined) return null
          const { text, messageCount, untrusted } = made
          return { text, messageCount, ...(untrusted !== undefined && { untrusted }) }
        }))
    return found === undefined || found === null ? [...messages] : sent(found)
  }

  return Object.assign(prepare, {
    clear: (threadId: string, given: { owner?: string; signal?: AbortSignal | undefined } = {}) =>
      summaries.clear(threadId, { ...given, threadId }),
  })
}

/** What messages are: their ids or, of those that have none yet, their content. */
function messagesIdOf(messages: readonly Message[]): Promise<string> {
  return contentId(messages.map(({ id, role, content }) => id ?? JSON.stringify([role, content])))
}

function markOf(messages: readonly AnyMessage[]): { untrusted?: string[] } {
  const untrusted = untrustedSources(messages)
  return untrusted.length === 0 ? {} : { untrusted }
}

function omitPrevious({ previousId: _none, ...rest }: ThreadSummary): ThreadSummary {
  return rest
}

function newestUser(messages: readonly Message[]): string {
  const message = messages.findLast(({ role }) => role === 'user')
  return message?.id ?? JSON.stringify(message?.content ?? null)
}

const MOST_REMEMBERED = 1_000

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= MOST_REMEMBERED) break
    map.delete(oldest)
  }
}

function recordsOption(
  given: SummarizeOptions['summaries'],
): (context: PrepareContext) => Records<ThreadSummary> | undefined {
  if (given === undefined) return () => undefined
  if (typeof given === 'function') return given
  if (typeof given?.put === 'function') return () => given
  throw new KeepsakeError(
    'invalid_value',
    `summarize: summaries must be records, or a function that gives them; it is ${describeType(given)}.`,
  )
}
