import type { Message, ToolCallPart, ToolResultPart } from '@keepsake/core'

/** A user message. */
export function asked(text: string): Message {
  return { role: 'user', content: text }
}

/** An assistant's message. */
export function answered(text: string): Message {
  return { role: 'assistant', content: text }
}

/** What plain messages say; anything else as it is. */
export function textsOf(messages: readonly Message[]): unknown[] {
  return messages.map((message) => message.content)
}

/**
 * Turns in which the model calls tools: one call, parallel calls with a result each, parallel calls answered together in
 * another order, reasoning before a call. Ids and texts come from `turn`.
 */
export function turnWithTools(turn: number): Message[] {
  const id = (call: number): string => `call-${turn}-${call}`
  const shapes: readonly Message[][] = [
    [calling(id(1)), resulting(id(1))],
    [calling(id(1), id(2), id(3)), resulting(id(1)), resulting(id(2)), resulting(id(3))],
    [calling(id(1), id(2)), resulting(id(2), id(1)), calling(id(3)), resulting(id(3))],
    [
      { role: 'assistant', content: [{ type: 'reasoning', text: 'I should look.' }] },
      calling(id(1), id(2)),
      resulting(id(2)),
      resulting(id(1)),
    ],
  ]
  return [asked(`question ${turn}`), ...shapes[turn % shapes.length]!, answered(`answer ${turn}`)]
}

/** Calls in a prompt without a result, and results without an earlier call. */
export function orphansIn(prompt: readonly Message[]): string[] {
  const open = new Set<string>()
  const orphans: string[] = []
  for (const message of prompt) {
    for (const part of typeof message.content === 'string' ? [] : message.content) {
      if (part.type === 'tool-call') open.add(part.toolCallId)
      if (part.type === 'tool-result' && !open.delete(part.toolCallId)) orphans.push(`result ${part.toolCallId}`)
    }
  }
  return [...orphans, ...Array.from(open, (id) => `call ${id}`)]
}

function calling(...ids: string[]): Message {
  const parts = ids.map((id): ToolCallPart => ({ type: 'tool-call', toolCallId: id, toolName: 'look', input: { id } }))
  return { role: 'assistant', content: parts }
}

function resulting(...ids: string[]): Message {
  const parts = ids.map((id): ToolResultPart => {
    return { type: 'tool-result', toolCallId: id, toolName: 'look', output: { type: 'text', value: id } }
  })
  return { role: 'tool', content: parts }
}
