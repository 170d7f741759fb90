import type { Message } from '@keepsake/core'
import { callIds, resultIds } from './place.ts'

/**
 * The messages with each tool message right after the answer whose calls it answers, where providers want it. Two turns
 * that went on in one thread at the same time are stored as they came, so that the results of one may stand behind
 * messages of the other. The same messages where all is in order. Linear.
 */
export function resultsAfterCalls(messages: readonly Message[]): Message[] {
  /** The newest answer with a call of this id, and what goes after an answer. */
  const answers = new Map<string, Message>()
  const following = new Map<Message, Message[]>()
  const others: Message[] = []
  for (const message of messages) {
    for (const id of callIds(message)) answers.set(id, message)
    const answer = message.role === 'tool' ? resultIds(message).map((id) => answers.get(id))[0] : undefined
    if (answer === undefined) others.push(message)
    else if (!following.get(answer)?.push(message)) following.set(answer, [message])
  }
  return others.flatMap((message) => [message, ...(following.get(message) ?? [])])
}
