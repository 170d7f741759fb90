import type { JSONValue, LanguageModelV4Content, SharedV4FileData, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { KeepsakeError, type ToolOutput } from '@keepsake/core'
import { toFileData } from './file-data.ts'
import type { AssistantPart } from './from-content.ts'

/**
 * The parts of an assistant's message as a V4 model says them: the way back from `fromContent`, which makes the same
 * parts of them again. For serving an answer that is stored instead of asking for it once more.
 *
 * Calls and results of tools that the provider ran are marked `dynamic`: whether they were is not stored, and ai takes
 * those of a tool that it does not know only so. Throws `invalid_value` for a file that no model can have made.
 */
export function toContent(parts: readonly AssistantPart[]): LanguageModelV4Content[] {
  return parts.map(toContentPart)
}

function toContentPart(part: AssistantPart): LanguageModelV4Content {
  const metadata = metadataOf(part)
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text, ...metadata }
    case 'file':
    case 'reasoning-file': {
      const { data, mediaType = part.mediaType } = toFileData(part.data)
      return { type: part.type, data: generated(data), mediaType, ...metadata }
    }
    case 'custom':
      return { type: 'custom', kind: part.kind, ...metadata }
    case 'tool-call': {
      const { toolCallId, toolName } = part
      const executed = part.providerExecuted === true ? { providerExecuted: true, dynamic: true } : {}
      return { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(part.input), ...executed, ...metadata }
    }
    case 'tool-result': {
      const { toolCallId, toolName, output } = part
      return { type: 'tool-result', toolCallId, toolName, ...resultOf(output), dynamic: true, ...metadata }
    }
    case 'tool-approval-request':
      return { type: 'tool-approval-request', approvalId: part.approvalId, toolCallId: part.toolCallId }
    default:
      return part satisfies never
  }
}

function metadataOf(part: AssistantPart): { providerMetadata?: SharedV4ProviderMetadata } {
  const options = 'providerOptions' in part ? part.providerOptions : undefined
  return options === undefined ? {} : { providerMetadata: options }
}

type Generated = Extract<SharedV4FileData, { type: 'data' | 'url' }>

function generated(data: SharedV4FileData): Generated {
  if (data.type === 'data' || data.type === 'url') return data
  throw new KeepsakeError(
    'invalid_value',
    `An assistant's file holds a ${data.type}; what models make is bytes or a URL.`,
  )
}

function resultOf(output: ToolOutput): { result: NonNullable<JSONValue>; isError?: true } {
  switch (output.type) {
    case 'text':
    case 'json':
      return { result: output.value as NonNullable<JSONValue> }
    case 'error-text':
    case 'error-json':
      return { result: output.value as NonNullable<JSONValue>, isError: true }
    default:
      return { result: output as unknown as NonNullable<JSONValue> }
  }
}
