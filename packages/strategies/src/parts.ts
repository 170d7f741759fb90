import type { AnyMessage } from '@keepsake/core'

/** A part of a message, before anything is known about it. */
export interface Part {
  type?: unknown
  text?: unknown
  toolCallId?: unknown
  approvalId?: unknown
  providerExecuted?: unknown
  providerOptions?: unknown
}

/** The parts of a model message. A message whose content is text, or that keeps its parts elsewhere, has none. */
export function contentParts(message: AnyMessage): readonly Part[] {
  return listOfParts((message as { content?: unknown }).content)
}

/**
 * Whether a message is nothing but reasoning. OpenAI answers 400 to reasoning without the item that it led to, Anthropic
 * to an assistant's message that ends in thinking. Reasoning beside other parts is left alone, wherever it stands:
 * OpenAI-compatible providers put it after the text.
 */
export function isOnlyReasoning(message: AnyMessage): boolean {
  if (message.role !== 'assistant') return false
  const { content, parts } = message as { content?: unknown; parts?: unknown }
  let reasons = false
  for (const part of listOfParts(content ?? parts)) {
    if (part.type === 'reasoning' || part.type === 'reasoning-file') reasons = true
    else if (!isNeverSent(part)) return false
  }
  return reasons
}

/** Parts that the AI SDK leaves out of a prompt: marks and sources of its UI messages, and empty texts. */
function isNeverSent(part: Part): boolean {
  if (part.type === 'step-start' || part.type === 'source-url' || part.type === 'source-document') return true
  return part.type === 'text' && part.text === '' && part.providerOptions === undefined
}

function listOfParts(value: unknown): readonly Part[] {
  return Array.isArray(value) ? value.filter((part) => typeof part === 'object' && part !== null) : []
}
