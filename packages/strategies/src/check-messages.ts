import { describeType, KeepsakeError, type AnyMessage } from '@keepsake/core'

/** Throws `invalid_value`, naming the message, unless each of a list is one with a role. */
export function checkMessages(what: string, messages: unknown): asserts messages is readonly AnyMessage[] {
  if (!Array.isArray(messages)) {
    throw new KeepsakeError('invalid_value', `${what}: messages must be an array; it is ${describeType(messages)}.`)
  }
  for (const [index, message] of messages.entries()) {
    if (typeof message === 'object' && message !== null && typeof message.role === 'string') continue
    throw new KeepsakeError(
      'invalid_value',
      `${what}: messages[${index}] must be a message with a role; it is ${describeType(message)}.`,
    )
  }
}
