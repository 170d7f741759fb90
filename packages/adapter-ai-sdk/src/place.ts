import type { Message } from '@keepsake/core'

/** Where a call stands in its thread. */
export interface Place {
  /** What the thread holds before it. */
  past: Message[]
  /** What the call brings that the thread does not hold. */
  added: Message[]
  /** The answer that the call continues: the newest that both have. */
  after: Message | undefined
}

/**
 * Finds what of a call's messages is new to its thread.
 *
 * The AI SDK sends the whole turn again at every step, whose end is the answer before, and after it the results that the
 * SDK has added. So it is by the position of that answer, which the tool calls within it tell, that a step is recognised;
 * never by texts, which are said more than once. Where the last answer with calls is not in the thread, or there is none,
 * it is a new turn. So it is where a user's message follows an answer whose calls have their results: what came before may
 * be an example, sent along with every turn. While results are missing, a user's message is one that joined in.
 *
 * `belongs` says of an answer that it is of this very operation, whatever follows it. Linear.
 */
export function placeOf(
  thread: readonly Message[],
  messages: readonly Message[],
  belongs: (answer: Message) => boolean,
): Place {
  const last = messages.findLastIndex((message) => callIds(message).length > 0)
  // Loops of one's own may send the results alone.
  const ids = last >= 0 ? callIds(messages[last]!) : resultIds(messages[0])
  const rest = messages.slice(last + 1)
  const index = ids.length === 0 ? -1 : thread.findLastIndex((message) => holdsCalls(message, ids))
  const after = thread[index]
  const isNew: Place = { past: [...thread], added: [...messages], after: undefined }
  if (after === undefined) return isNew
  const held = toolMessagesAfter(thread, index)
  const answered = [after, ...held].flatMap(resultIds)
  const isOpen = callIds(after).some((id) => !answered.includes(id))
  if (rest.some(({ role }) => role === 'user') && !isOpen && !belongs(after)) return isNew
  const common = Math.min(held.length, toolMessagesAfter(messages, last).length)
  return { past: thread.slice(0, index + 1 + common), added: rest.slice(common), after }
}

/** The ids of the calls in a message. */
export function callIds(message: Message): string[] {
  if (message.role !== 'assistant' || typeof message.content === 'string') return []
  return message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
}

/** The ids of the calls whose results are in a message: a tool message, or an answer with those of the provider's tools. */
export function resultIds(message: Message | undefined): string[] {
  if (message === undefined || typeof message.content === 'string') return []
  return message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []))
}

function holdsCalls(message: Message, ids: readonly string[]): boolean {
  const held = callIds(message)
  return held.length > 0 && ids.every((id) => held.includes(id))
}

function toolMessagesAfter(messages: readonly Message[], index: number): Message[] {
  const end = messages.findIndex((message, position) => position > index && message.role !== 'tool')
  return messages.slice(index + 1, end < 0 ? messages.length : end)
}
