import type { JSONValue, LanguageModelV4Content } from '@ai-sdk/provider'
import { describeType, KeepsakeError, type Message, type ToolCallPart, type ToolOutput } from '@keepsake/core'
import { parseInput } from './parse-input.ts'
import { fromMetadata } from './provider-options.ts'

export type AssistantPart = Exclude<Extract<Message, { role: 'assistant' }>['content'], string>[number]

/** A call that the model leaves to us. */
export interface AnsweredCall {
  part: ToolCallPart
  /** Why its input cannot be read; the part then has `{}`. */
  problem?: string
}

/**
 * What a V4 model said, as the parts of an assistant message.
 *
 * Sources, previews of results, and parts of types that are not known are left out, and so are empty texts that no
 * provider says anything about. Inputs of calls are parsed; one that is no JSON object becomes `{}`. Results of tools that the provider ran
 * stay in the message. Throws `invalid_value` for a part that lacks what its type needs.
 */
export function fromContent(content: readonly LanguageModelV4Content[]): AssistantPart[] {
  return readContent(content).parts
}

/** The parts and, among them, the calls that are ours to run. */
export function readContent(content: readonly LanguageModelV4Content[]): {
  parts: AssistantPart[]
  calls: AnsweredCall[]
} {
  const parts: AssistantPart[] = []
  const calls: AnsweredCall[] = []
  for (const part of content) {
    // Models are not type-checked.
    switch ((part as LanguageModelV4Content | null | undefined)?.type) {
      case 'tool-call': {
        const call = readCall(part as Part<'tool-call'>)
        parts.push(call.part)
        if (call.part.providerExecuted !== true) calls.push(call)
        break
      }
      case undefined:
        break
      default:
        parts.push(...fromPart(part))
    }
  }
  return { parts, calls }
}

type Part<T extends LanguageModelV4Content['type']> = Extract<LanguageModelV4Content, { type: T }>

function fromPart(part: LanguageModelV4Content): AssistantPart[] {
  const options = fromMetadata(part)
  switch (part.type) {
    case 'text': {
      const text = textOf(part, 'text')
      return text === '' && part.providerMetadata === undefined ? [] : [{ type: 'text', text, ...options }]
    }
    case 'reasoning':
      return [{ type: 'reasoning', text: textOf(part, 'text'), ...options }]
    case 'file':
    case 'reasoning-file':
      return [{ type: part.type, data: part.data, mediaType: textOf(part, 'mediaType'), ...options }]
    case 'custom':
      return [{ type: 'custom', kind: textOf(part, 'kind') as `${string}.${string}`, ...options }]
    case 'tool-result': {
      // A preview, such as of an image: the result itself comes after it.
      if (part.preliminary === true) return []
      const { toolCallId, toolName } = named(part)
      return [{ type: 'tool-result', toolCallId, toolName, output: resultOutput(part), ...options }]
    }
    case 'tool-approval-request': {
      const approvalId = textOf(part, 'approvalId')
      return [{ type: 'tool-approval-request', approvalId, toolCallId: textOf(part, 'toolCallId') }]
    }
    default:
      return []
  }
}

function readCall(part: Part<'tool-call'>): AnsweredCall {
  const { toolCallId, toolName } = named(part)
  const { input, problem } = parseInput(part.input)
  const executed = part.providerExecuted === true ? { providerExecuted: true } : {}
  return {
    part: { type: 'tool-call', toolCallId, toolName, input, ...executed, ...fromMetadata(part) },
    ...(problem === undefined ? {} : { problem }),
  }
}

function resultOutput(part: Part<'tool-result'>): ToolOutput {
  const value = (part.result as JSONValue | undefined) ?? null
  if (part.isError === true)
    return typeof value === 'string' ? { type: 'error-text', value } : { type: 'error-json', value }
  return typeof value === 'string' ? { type: 'text', value } : { type: 'json', value }
}

function named(part: Part<'tool-call' | 'tool-result'>): { toolCallId: string; toolName: string } {
  const toolName = textOf(part, 'toolName')
  if (toolName === '') throw malformed(part, 'an empty toolName')
  return { toolCallId: textOf(part, 'toolCallId'), toolName }
}

function textOf<P extends LanguageModelV4Content>(part: P, name: keyof P & string): string {
  const value: unknown = part[name]
  if (typeof value !== 'string') throw malformed(part, `${describeType(value)} for ${name}`)
  return value
}

function malformed(part: LanguageModelV4Content, what: string): KeepsakeError {
  return new KeepsakeError('invalid_value', `The model's answer holds a ${part.type} part with ${what}.`)
}
