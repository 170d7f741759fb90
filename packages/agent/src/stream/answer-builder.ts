import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Reasoning,
  LanguageModelV4StreamPart,
  LanguageModelV4Text,
} from '@ai-sdk/provider'
import { describeType, KeepsakeError } from '@keepsake/core'

type Block = LanguageModelV4Text | LanguageModelV4Reasoning

/** Puts the parts of a model's stream together to what `doGenerate` would have given. */
export interface AnswerBuilder {
  add(part: LanguageModelV4StreamPart): void
  /** Throws if `finish` has not come: the answer may have been cut off. */
  answer(): LanguageModelV4GenerateResult
}

export function answerBuilder(): AnswerBuilder {
  const content: LanguageModelV4Content[] = []
  const open = new Map<string, Block>()
  const result: Omit<LanguageModelV4GenerateResult, 'content' | 'finishReason' | 'usage'> = { warnings: [] }
  let finish: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined

  function block(type: Block['type'], id: string): Block {
    const key = `${type} ${id}`
    const found = open.get(key)
    if (found !== undefined) return found
    const begun: Block = { type, text: '' }
    open.set(key, begun)
    content.push(begun)
    return begun
  }

  return {
    add(part) {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start':
        case 'text-delta':
        case 'reasoning-delta':
        case 'text-end':
        case 'reasoning-end': {
          const type = part.type.startsWith('text') ? 'text' : 'reasoning'
          const current = block(type, part.id)
          if ('delta' in part) current.text += textOf(part.delta)
          // Signatures come with any of the three, and the newest is the one that counts.
          if (part.providerMetadata !== undefined) current.providerMetadata = part.providerMetadata
          if (part.type.endsWith('-end')) open.delete(`${type} ${part.id}`)
          return
        }
        case 'file':
        case 'reasoning-file':
        case 'custom':
        case 'source':
        case 'tool-call':
        case 'tool-result':
        case 'tool-approval-request':
          content.push(part)
          return
        case 'stream-start':
          result.warnings = part.warnings
          return
        case 'response-metadata': {
          const { type: _, ...metadata } = part
          result.response = { ...result.response, ...metadata }
          return
        }
        case 'finish':
          finish = part
          return
        case 'error':
          throw part.error
        default:
      }
    },
    answer() {
      if (finish === undefined) {
        throw new KeepsakeError(
          'unavailable',
          "The model's stream ended without its finish part; the answer may be cut off.",
          {
            retryable: true,
          },
        )
      }
      const { finishReason, usage, providerMetadata } = finish
      return { ...result, content, finishReason, usage, ...(providerMetadata !== undefined && { providerMetadata }) }
    },
  }
}

function textOf(delta: unknown): string {
  if (typeof delta === 'string') return delta
  throw new KeepsakeError('invalid_value', `The model's stream holds a delta that is ${describeType(delta)}, not text.`)
}
