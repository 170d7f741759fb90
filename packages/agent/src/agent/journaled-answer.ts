import type { Storable } from '@keepsake/core'
import type { AnsweredCall, AssistantPart } from '../convert/from-content.ts'
import { asJson, copyMessage } from '../convert/as-stored.ts'
import type { ModelAnswer } from './model-call.ts'
import type { FinishReason, Usage } from './run-result.ts'

interface StoredAnswer {
  /** Whose answer it is: another attempt's has another. */
  id: string
  /** What the call was, roughly. */
  asked: string
  parts: AssistantPart[]
  /** Why inputs cannot be read, by call. */
  problems: Record<string, string>
  finishReason: FinishReason
  raw?: string
  usage: Usage
  response: { id: string; timestampMs: number; modelId: string }
  metadata?: { [key: string]: Storable }
}

/** An answer as the journal keeps it. Throws `invalid_value` for one that cannot be stored. */
export function toStoredAnswer(answer: ModelAnswer, id: string, asked: string): Storable {
  const { parts, calls, finishReason, rawFinishReason, usage, response, providerMetadata } = answer
  const problems = calls.flatMap(({ part, problem }) => (problem === undefined ? [] : [[part.toolCallId, problem]]))
  const stored = {
    id,
    asked,
    parts: copyMessage({ role: 'assistant', content: parts }).content,
    problems: Object.fromEntries(problems) as Record<string, string>,
    finishReason,
    ...(typeof rawFinishReason === 'string' && { raw: rawFinishReason.toWellFormed() }),
    usage: asJson(usage),
    response: {
      id: textOf(response.id),
      timestampMs: Number(response.timestamp) || 0,
      modelId: textOf(response.modelId),
    },
    ...metadataOf(providerMetadata),
  }
  return stored as unknown as Storable
}

/** Models are not type-checked. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : ''
}

/** What providers say beside their answer is not worth a run. */
function metadataOf(metadata: unknown): { metadata?: unknown } {
  try {
    return metadata === undefined ? {} : { metadata: asJson(metadata) }
  } catch {
    return {}
  }
}

/** The inverse, but that nothing was streamed. */
export function fromStoredAnswer(stored: Storable): { id: string; asked: string; answer: ModelAnswer } {
  const { id, asked, parts, problems, finishReason, raw, usage, response, metadata } = stored as unknown as StoredAnswer
  const calls = parts.flatMap((part): AnsweredCall[] => {
    if (part.type !== 'tool-call' || part.providerExecuted === true) return []
    const problem = Object.hasOwn(problems, part.toolCallId) ? problems[part.toolCallId] : undefined
    return [{ part, ...(problem !== undefined && { problem }) }]
  })
  const answer: ModelAnswer = {
    parts,
    calls,
    finishReason,
    rawFinishReason: raw,
    usage: withUnknown(usage),
    response: { id: response.id, timestamp: new Date(response.timestampMs), modelId: response.modelId },
    providerMetadata: metadata as ModelAnswer['providerMetadata'],
    streamed: false,
    firstOutputMs: undefined,
  }
  return { id, asked, answer }
}

/** Counts that are not known are left out by JSON. */
export function withUnknown(usage: Usage): Usage {
  const { inputTokens, inputTokenDetails, outputTokens, outputTokenDetails, totalTokens } = usage
  const { noCacheTokens, cacheReadTokens, cacheWriteTokens } = inputTokenDetails
  const { textTokens, reasoningTokens } = outputTokenDetails
  return {
    inputTokens,
    inputTokenDetails: { noCacheTokens, cacheReadTokens, cacheWriteTokens },
    outputTokens,
    outputTokenDetails: { textTokens, reasoningTokens },
    totalTokens,
  }
}
