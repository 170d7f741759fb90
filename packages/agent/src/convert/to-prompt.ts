import type { LanguageModelV4Message } from '@ai-sdk/provider'
import { KeepsakeError, type Message } from '@keepsake/core'
import { toFileData } from './file-data.ts'
import { providerOptions } from './provider-options.ts'
import { toPromptOutput } from './tool-output.ts'

type PromptMessage<R extends string> = Extract<LanguageModelV4Message, { role: R }>
type Part<R extends 'user' | 'assistant' | 'tool'> = Exclude<Extract<Message, { role: R }>['content'], string>[number]

/**
 * Messages as the prompt of a V4 model: the way there that ai 7's `generateText` takes, except that nothing is
 * downloaded: URLs are passed on, and a provider that does not take them says so.
 *
 * - Tool messages that follow each other become one: providers want the results of one answer together.
 * - Empty texts are left out (an assistant's only if it has no options), and so are messages that have nothing left.
 * - Approvals are between the user and the agent: requests are left out, responses too unless the provider runs the
 *   tool.
 * - `id` and `createdAtMs` are left out.
 *
 * Never changes its input. Throws `invalid_value` for roles, parts and file contents that it does not know. Linear.
 */
export function toPrompt(messages: readonly Message[]): LanguageModelV4Message[] {
  const prompt: LanguageModelV4Message[] = []
  for (const message of messages) {
    const converted = toPromptMessage(message)
    if (converted.content.length === 0) continue
    const last = prompt.at(-1)
    if (converted.role === 'tool' && last?.role === 'tool') prompt[prompt.length - 1] = joined(last, converted)
    else prompt.push(converted)
  }
  return prompt
}

function toPromptMessage(message: Message): LanguageModelV4Message {
  const options = providerOptions(message)
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content, ...options }
    case 'user':
      return { role: 'user', content: partsOf(message.content).flatMap(toUserPart), ...options }
    case 'assistant':
      return { role: 'assistant', content: partsOf(message.content).flatMap(toAssistantPart), ...options }
    case 'tool':
      return { role: 'tool', content: message.content.flatMap(toToolPart), ...options }
    default:
      throw unknown('role', message, 'prompt')
  }
}

function partsOf<T>(content: string | readonly T[]): readonly (T | { type: 'text'; text: string })[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function toUserPart(part: Part<'user'>): PromptMessage<'user'>['content'] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text, ...providerOptions(part) }]
    case 'image': {
      const { data, mediaType = part.mediaType ?? 'image' } = toFileData(part.image)
      return [{ type: 'file', data, mediaType, ...providerOptions(part) }]
    }
    case 'file':
      return [toFilePart(part)]
    default:
      throw unknown('part', part, 'user message')
  }
}

function toFilePart(
  part: Extract<Part<'user'>, { type: 'file' }>,
): Extract<PromptMessage<'user'>['content'][number], { type: 'file' }> {
  const { data, mediaType = part.mediaType } = toFileData(part.data)
  const filename = part.filename === undefined ? {} : { filename: part.filename }
  return { type: 'file', data, mediaType, ...filename, ...providerOptions(part) }
}

function toAssistantPart(part: Part<'assistant'>): PromptMessage<'assistant'>['content'] {
  if (part.type === 'tool-approval-request') return []
  const options = providerOptions(part)
  switch (part.type) {
    case 'text':
      return part.text === '' && part.providerOptions === undefined
        ? []
        : [{ type: 'text', text: part.text, ...options }]
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...options }]
    case 'file':
      return [toFilePart(part)]
    case 'reasoning-file': {
      const { data, mediaType = part.mediaType } = toFileData(part.data)
      if (data.type !== 'data' && data.type !== 'url') {
        throw new KeepsakeError('invalid_value', `A reasoning file holds a ${data.type}; it must be bytes or a URL.`)
      }
      return [{ type: 'reasoning-file', data, mediaType, ...options }]
    }
    case 'custom':
      return [{ type: 'custom', kind: part.kind, ...options }]
    case 'tool-call': {
      const { toolCallId, toolName, input } = part
      const executed = part.providerExecuted === undefined ? {} : { providerExecuted: part.providerExecuted }
      return [{ type: 'tool-call', toolCallId, toolName, input, ...executed, ...options }]
    }
    case 'tool-result':
      return [toResultPart(part)]
    default:
      throw unknown('part', part, 'assistant message')
  }
}

function toToolPart(part: Part<'tool'>): PromptMessage<'tool'>['content'] {
  switch (part.type) {
    case 'tool-result':
      return [toResultPart(part)]
    case 'tool-approval-response': {
      if (part.providerExecuted !== true) return []
      const reason = part.reason === undefined ? {} : { reason: part.reason }
      return [{ type: 'tool-approval-response', approvalId: part.approvalId, approved: part.approved, ...reason }]
    }
    default:
      throw unknown('part', part, 'tool message')
  }
}

function toResultPart(
  part: Extract<Part<'tool'>, { type: 'tool-result' }>,
): Extract<PromptMessage<'tool'>['content'][number], { type: 'tool-result' }> {
  const { toolCallId, toolName } = part
  return { type: 'tool-result', toolCallId, toolName, output: toPromptOutput(part.output), ...providerOptions(part) }
}

/** Options of the first message move to its last part, where they still say the same: up to here. */
function joined(first: PromptMessage<'tool'>, second: PromptMessage<'tool'>): PromptMessage<'tool'> {
  const before = [...first.content]
  const last = before.at(-1)
  if (last !== undefined && first.providerOptions !== undefined) {
    before[before.length - 1] = { ...last, providerOptions: { ...first.providerOptions, ...last.providerOptions } }
  }
  return { role: 'tool', content: [...before, ...second.content], ...providerOptions(second) }
}

function unknown(what: 'role' | 'part', value: never, where: string): KeepsakeError {
  const found = value as { role?: unknown; type?: unknown } | null | undefined
  const name = what === 'role' ? found?.role : found?.type
  return new KeepsakeError('invalid_value', `A ${where} holds a ${what} that is not known: ${JSON.stringify(name)}.`)
}
