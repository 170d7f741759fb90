import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { KeepsakeError } from '@keepsake/core'
import { summaryPrompt, type SummaryRequest } from './summary-prompt.ts'

export interface SummaryWriter {
  model: LanguageModelV4
  /** Default {@link summaryPrompt}. Must give the same for the same request. */
  prompt?: ((request: SummaryRequest) => LanguageModelV4Prompt) | undefined
}

/** One call of the model. Rejects with what it rejects with, and with `unavailable` where it says nothing or breaks off. */
export async function askForSummary(
  { model, prompt = summaryPrompt }: SummaryWriter,
  request: SummaryRequest,
  signal?: AbortSignal,
): Promise<string> {
  const { content, finishReason } = await model.doGenerate({
    prompt: prompt(request),
    maxOutputTokens: request.maxTokens,
    ...(signal !== undefined && { abortSignal: signal }),
  })
  const text = content
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('')
    .toWellFormed()
    .trim()
  const { unified } = finishReason
  if (text !== '' && unified !== 'error' && unified !== 'content-filter') return text
  throw new KeepsakeError('unavailable', `The model gave no summary (finish reason: ${unified}).`, {
    retryable: true,
    details: { finishReason: unified, modelId: model.modelId },
  })
}
