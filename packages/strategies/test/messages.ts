import type { Message, ToolCallPart, ToolResultPart } from '@keepsake/core'

// Short words for the messages of the tests.

export const system = (text: string): Message => ({ role: 'system', content: text })
export const user = (text: string): Message => ({ role: 'user', content: text })
export const say = (text: string): Message => ({ role: 'assistant', content: text })

export const callPart = (id: string): ToolCallPart => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'look',
  input: {},
})
export const resultPart = (id: string): ToolResultPart => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'look',
  output: { type: 'text', value: 'seen' },
})
/** An assistant's message that makes these calls. */
export const calls = (...ids: string[]): Message => ({ role: 'assistant', content: ids.map(callPart) })
/** A tool message with the results of these calls. */
export const results = (...ids: string[]): Message => ({ role: 'tool', content: ids.map(resultPart) })
/** A call that waits for a person. */
export const asks = (id: string, approvalId: string): Message => ({
  role: 'assistant',
  content: [callPart(id), { type: 'tool-approval-request', approvalId, toolCallId: id }],
})
/** The person's answer. */
export const approves = (approvalId: string, approved = true): Message => ({
  role: 'tool',
  content: [{ type: 'tool-approval-response', approvalId, approved }],
})
/** Nothing but reasoning. */
export const thinks = (text: string): Message => ({ role: 'assistant', content: [{ type: 'reasoning', text }] })
/** A call that the provider runs itself, with or without its result beside it. */
export const providerCall = (id: string, answered: boolean): Message => ({
  role: 'assistant',
  content: [
    { ...callPart(id), providerExecuted: true },
    ...(answered ? [resultPart(id)] : []),
    { type: 'text', text: `after ${id}` },
  ],
})
