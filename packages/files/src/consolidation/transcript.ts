import type { Message } from '@keepsake/core'

/** What was said, for a model that draws facts from it. */
export interface Said {
  role: 'user' | 'assistant'
  text: string
}

/**
 * What the two sides said, in order. System messages are instructions, memory among them, and what tools gave is not the
 * user's word: neither is taken for something to be remembered. Over `maxChars` the oldest is left out.
 */
export function transcriptOf(messages: readonly Message[], maxChars: number): { said: Said[]; leftOut: number } {
  const all = messages.flatMap((message): Said[] => {
    if (message.role !== 'user' && message.role !== 'assistant') return []
    const text = textOf(message.content)
    return text === '' ? [] : [{ role: message.role, text }]
  })
  const said: Said[] = []
  let left = maxChars
  for (const one of all.toReversed()) {
    left -= one.text.length
    if (left < 0 && said.length > 0) break
    said.unshift(left < 0 ? { ...one, text: one.text.slice(0, Math.max(0, maxChars)).toWellFormed() } : one)
    if (left < 0) break
  }
  return { said, leftOut: all.length - said.length }
}

function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
