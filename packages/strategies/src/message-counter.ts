import { describeType, KeepsakeError, type AnyMessage } from '@keepsake/core'
import { messageTokens, type CountTokens } from './message-tokens.ts'

/** Counts the tokens of messages, each once while it lives. */
export interface MessageCounter {
  /** A whole number. */
  tokensOf: (message: AnyMessage) => number
  sum: (messages: readonly AnyMessage[]) => number
  /** Of a text by itself. */
  count: CountTokens
}

/** Throws `invalid_value` unless `count` is a function, and later where it gives no number from 0. */
export function messageCounter(what: string, count: CountTokens): MessageCounter {
  if (typeof count !== 'function') {
    throw new KeepsakeError(
      'invalid_value',
      `${what}: count must be a function from a text to its tokens, such as approxTokens; it is ${describeType(count)}.`,
    )
  }
  const counted = new WeakMap<AnyMessage, number>()

  function checked(text: string): number {
    const tokens: unknown = count(text)
    if (typeof tokens === 'number' && tokens >= 0 && tokens < Infinity) return tokens
    throw new KeepsakeError(
      'invalid_value',
      `${what}: count must give a number from 0 for every text; for one of ${text.length} characters it gave ${typeof tokens === 'number' ? tokens : describeType(tokens)}.`,
    )
  }
  function tokensOf(message: AnyMessage): number {
    let tokens = counted.get(message)
    if (tokens === undefined) {
      // A count by characters may give fractions, which strides cannot be told in.
      tokens = Math.ceil(messageTokens(message, checked))
      counted.set(message, tokens)
    }
    return tokens
  }
  return {
    tokensOf,
    count: checked,
    sum: (messages) => messages.reduce((total, one) => total + tokensOf(one), 0),
  }
}
