import type { LanguageModelV4Message } from '@ai-sdk/provider'
import { KeepsakeError, type Message } from '@keepsake/core'
import { providerOptions } from './provider-options.ts'

type PromptPart<R extends 'user' | 'tool'> = Extract<LanguageModelV4Message, { role: R }>['content'][number]
type Part<R extends 'user' | 'tool'> = Exclude<Extract<Message, { role: R }>['content'], string>[number]

/**
 * The prompt of a V4 model as messages: the way back from `toPrompt`, which makes the same prompt of them again.
 *
 * A user's message that is one plain text has it as its `content`. Approval responses are said to be the provider's, as
 * all are that reach a model. Parts are shared with the prompt, not copied. Throws `invalid_value` for a role that it
 * does not know. Linear.
 */
export function fromPrompt(prompt: readonly LanguageModelV4Message[]): Message[] {
  return prompt.map(fromPromptMessage)
}

function fromPromptMessage(message: LanguageModelV4Message): Message {
  const options = providerOptions(message)
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content, ...options }
    case 'user':
      return { role: 'user', content: plainText(message.content) ?? message.content, ...options }
    case 'assistant':
      return { role: 'assistant', content: message.content, ...options }
    case 'tool':
      return { role: 'tool', content: message.content.map(fromToolPart), ...options }
    default: {
      const { role } = message as { role?: unknown }
      throw new KeepsakeError('invalid_value', `A prompt holds a role that is not known: ${JSON.stringify(role)}.`)
    }
  }
}

function plainText(content: readonly PromptPart<'user'>[]): string | undefined {
  const [part] = content
  if (content.length !== 1 || part?.type !== 'text' || part.providerOptions !== undefined) return undefined
  return part.text
}

function fromToolPart(part: PromptPart<'tool'>): Part<'tool'> {
  return part.type === 'tool-approval-response' ? { ...part, providerExecuted: true } : part
}
