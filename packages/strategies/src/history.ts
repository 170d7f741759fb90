import {
  describeType,
  KeepsakeError,
  throwIfAborted,
  type AppendOptions,
  type ChatMemory,
  type Message,
  type ThreadOptions,
} from '@keepsake/core'
import { checkCount } from './check-count.ts'
import { fromWholeUnit } from './from-whole-unit.ts'
import { isInjected } from './injected.ts'
import type { Prepare, PrepareContext, PrepareStep } from './prepare.ts'

/**
 * The past of conversations, as an agent uses it: read a thread, add a turn, work out what to send. Any object with
 * these four is one; `testHistory` of `@keepsake/store-testing` says whether it keeps the rules.
 */
export interface History {
  /** The messages of a thread, oldest first: every `append` that has returned, by whomever. Empty where there are none. */
  load(threadId: string, context?: PrepareContext): Promise<Message[]>
  /** Adds messages to the end of a thread, all or none of them. */
  append(threadId: string, messages: readonly Message[], options?: AppendOptions): Promise<unknown>
  /** What to send of these messages: those of `load` and what a run has added since. Changes nothing that is stored. */
  prepare: Prepare
  /** Removes all messages of a thread. */
  clear(threadId: string, options?: ThreadOptions): Promise<void>
}

export interface HistoryOptions {
  /** Where the messages are kept. */
  chat: ChatMemory<Message>
  /** Steps that `prepare` applies, first to last. Default none: everything is sent. */
  // oxlint-disable-next-line typescript/no-explicit-any -- steps that work on any message fit here
  prepare?: readonly PrepareStep<any>[]
  /**
   * For long threads: `load` gives the newest `last` messages, less those at their front that belong to an older turn or,
   * where these are more than half, to a call before them. A whole number from 1, several times what the steps send.
   * It reads one more, and twice as many where a single call and its results take more than half. System messages
   * before that are not seen, and a window with a `step` needs the whole thread. Default `Infinity`: everything is read.
   */
  last?: number
}

/**
 * A history over chat memory. `load`, `append` and `clear` are chat memory's own, with its costs and errors
 * (`wrong_owner`, `invalid_value`, …); `prepare` applies the steps in their order and rejects with `aborted` between
 * two of them when the context's signal has fired. Throws `invalid_value` for options that cannot be used.
 *
 * `load` reads the whole thread unless `last` is given: only the whole says which system messages there were and where
 * strides begin.
 */
export function createHistory(options: HistoryOptions): History {
  const { chat, prepare: steps = [], last = Infinity } = options
  checkOptions(chat, steps, last)
  return {
    async load(threadId, { owner, signal } = {}) {
      let messages: Message[] = []
      for (const count of [last, 2 * last]) {
        // The one before them says whether they are all, and whether the first of them belongs to it.
        messages = await chat.messages(threadId, { ...(owner !== undefined && { owner }), last: count + 1, signal })
        if (messages.length <= count) return messages
        const whole = fromWholeUnit(messages, last / 2)
        if (whole !== undefined) return whole
      }
      return fromWholeUnit(messages, 1) ?? messages.slice(1)
    },
    async append(threadId, messages, appendOptions) {
      // Recalled memories and summaries are nobody's words: stored, they would be taken in as new.
      const own = Array.isArray(messages) ? messages.filter((one) => !isMessage(one) || !isInjected(one)) : messages
      return messages.length > 0 && own.length === 0 ? [] : chat.append(threadId, own, appendOptions)
    },
    async prepare(messages, context) {
      let prepared = [...messages]
      for (const step of steps) {
        throwIfAborted(context?.signal)
        prepared = await step(prepared, context)
      }
      return prepared
    },
    async clear(threadId, clearOptions) {
      await chat.clear(threadId, clearOptions)
      // What steps keep of a thread goes after it: what they make of a thread that is gone is never used.
      for (const step of steps) await step.clear?.(threadId, clearOptions)
    },
  }
}

/** Anything else is for chat memory to refuse. */
function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null
}

function checkOptions(chat: unknown, steps: unknown, last: unknown): void {
  if (typeof (chat as ChatMemory<Message> | undefined)?.messages !== 'function') {
    throw new KeepsakeError(
      'invalid_value',
      `createHistory: chat must be a chat memory, such as chatMemory(store); it is ${describeType(chat)}.`,
    )
  }
  if (!Array.isArray(steps) || !steps.every((step) => typeof step === 'function')) {
    throw new KeepsakeError(
      'invalid_value',
      'createHistory: prepare must be an array of functions, such as [window(20)].',
    )
  }
  checkCount('createHistory: last', last, 1, Infinity)
}
