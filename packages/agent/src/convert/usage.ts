import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { FinishReason, Usage } from '../agent/run-result.ts'

/** V4 usage in ai's shape. What is no number counts as not said: a provider's mistake must not make a sum NaN. */
export function toUsage(usage: LanguageModelV4Usage | undefined): Usage {
  const { inputTokens, outputTokens } = usage ?? {}
  return withTotal(
    tokens(inputTokens?.total),
    {
      noCacheTokens: tokens(inputTokens?.noCache),
      cacheReadTokens: tokens(inputTokens?.cacheRead),
      cacheWriteTokens: tokens(inputTokens?.cacheWrite),
    },
    tokens(outputTokens?.total),
    { textTokens: tokens(outputTokens?.text), reasoningTokens: tokens(outputTokens?.reasoning) },
  )
}

export function addUsage(a: Usage, b: Usage): Usage {
  const [aIn, bIn, aOut, bOut] = [a.inputTokenDetails, b.inputTokenDetails, a.outputTokenDetails, b.outputTokenDetails]
  return withTotal(
    sum(a.inputTokens, b.inputTokens),
    {
      noCacheTokens: sum(aIn.noCacheTokens, bIn.noCacheTokens),
      cacheReadTokens: sum(aIn.cacheReadTokens, bIn.cacheReadTokens),
      cacheWriteTokens: sum(aIn.cacheWriteTokens, bIn.cacheWriteTokens),
    },
    sum(a.outputTokens, b.outputTokens),
    {
      textTokens: sum(aOut.textTokens, bOut.textTokens),
      reasoningTokens: sum(aOut.reasoningTokens, bOut.reasoningTokens),
    },
  )
}

const FINISH_REASONS: ReadonlySet<string> = new Set<FinishReason>([
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'error',
  'other',
])

/** A missing or unknown reason is `other`. */
export function toFinishReason(reason: LanguageModelV4FinishReason | undefined): FinishReason {
  const unified: unknown = reason?.unified
  return typeof unified === 'string' && FINISH_REASONS.has(unified) ? (unified as FinishReason) : 'other'
}

function withTotal(
  inputTokens: Usage['inputTokens'],
  inputTokenDetails: Usage['inputTokenDetails'],
  outputTokens: Usage['outputTokens'],
  outputTokenDetails: Usage['outputTokenDetails'],
): Usage {
  const totalTokens = sum(inputTokens, outputTokens)
  return { inputTokens, inputTokenDetails, outputTokens, outputTokenDetails, totalTokens }
}

function tokens(count: unknown): number | undefined {
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)
}
