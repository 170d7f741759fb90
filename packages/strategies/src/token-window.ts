import { describeType, KeepsakeError, type AnyMessage } from '@keepsake/core'
import { checkCount } from './check-count.ts'
import { checkMessages } from './check-messages.ts'
import { countOfOldest, firstOfNewest } from './choose-units.ts'
import { messageCounter } from './message-counter.ts'
import type { CountTokens } from './message-tokens.ts'
import { splitUnits } from './units.ts'

export interface TokenWindowOptions {
  /** Tokens that the messages may have together, the system's among them. Default 120_000. */
  maxTokens?: number
  /**
   * Counts the tokens of a text: `approxTokens`, the exact `gptTokens` of `@keepsake/strategies/gpt-tokenizer`, or your own.
   * Is given texts of messages, never media; what it gave for a message is kept while that message object lives.
   */
  count: CountTokens
  /** Tokens by which the window moves at once: a whole number from 1 to `maxTokens`. Default 1. See {@link tokenWindow}. */
  step?: number
  /** Which end is kept. Default `'last'`: the newest. */
  keep?: 'first' | 'last'
}

/** The default budget: what fits into models of 128,000 tokens with an answer. */
const MAX_TOKENS = 120_000

/**
 * The messages that fit into a budget of tokens, without ever parting a call from its results. Like `window`, but by
 * tokens: system messages are all kept, come first and count first; of the others the largest run of whole newest units
 * that fits into the rest, but never less than the newest unit, even where that alone is too large. With `keep: 'first'`
 * the oldest units instead.
 *
 * Texts are counted by `count`, calls and results as JSON, an image as 1,600 tokens and other media as a token for 100
 * bytes (no less than an image), and 4 for each message. With `step` the window's start moves in strides of so many
 * tokens, so that each prompt begins with the one before it and the provider's prompt cache hits.
 *
 * Throws `too_large` if the system messages alone are over the budget, with both numbers in `details`, and `invalid_value`
 * for options that cannot be used, here and not at the first prompt. Synchronous and pure. Linear; each message is counted
 * once.
 *
 * @example
 * ```ts
 * const prepare = [tokenWindow({ maxTokens: 100_000, count: approxTokens, step: 20_000 })]
 * ```
 */
export function tokenWindow(options: TokenWindowOptions): <T extends AnyMessage>(messages: readonly T[]) => T[] {
  const { maxTokens = MAX_TOKENS, count, step = 1, keep = 'last' } = options
  checkCount('tokenWindow: maxTokens', maxTokens, 1, Number.MAX_SAFE_INTEGER)
  checkCount('tokenWindow: step', step, 1, maxTokens)
  const { sum } = messageCounter('tokenWindow', count)
  if (keep !== 'first' && keep !== 'last') throw invalid(`keep must be 'first' or 'last'; it is ${describeType(keep)}.`)
  if (keep === 'first' && step !== 1)
    throw invalid("step moves the start of a window, which keep: 'first' does not have.")

  return (messages) => {
    checkMessages('tokenWindow', messages)
    const system = messages.filter(({ role }) => role === 'system')
    const systemTokens = sum(system)
    if (systemTokens > maxTokens) {
      throw new KeepsakeError(
        'too_large',
        `tokenWindow: the system messages alone have ${systemTokens} tokens; maxTokens is ${maxTokens}. Shorten them or allow more.`,
        { details: { systemTokens, maxTokens } },
      )
    }
    const units = splitUnits(messages.filter(({ role }) => role !== 'system'))
    const weights = units.map(sum)
    const left = maxTokens - systemTokens
    const kept =
      keep === 'last' ? units.slice(firstOfNewest(weights, left, step)) : units.slice(0, countOfOldest(weights, left))
    return [...system, ...kept.flat()]
  }
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', `tokenWindow: ${message}`)
}
