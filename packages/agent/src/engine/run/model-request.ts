import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { describeType, KeepsakeError, normalise, type Storable } from '@keepsake/core'

/** What of a request says what is asked. Throws `invalid_value` for what is no plain data. */
export function requestAsked({
  abortSignal: _signal,
  headers: _headers,
  ...asked
}: LanguageModelV4CallOptions): Storable {
  return normalise(asked, 'request')
}

/** An answer as it is journaled: what the provider was sent, and its headers, may hold secrets and are large. */
export function answerStored(answer: LanguageModelV4GenerateResult): Storable {
  if (typeof answer !== 'object' || answer === null || !Array.isArray(answer.content)) {
    throw new KeepsakeError(
      'invalid_value',
      `The model's answer has no list of content; it is ${describeType(answer)}.`,
    )
  }
  const { content, finishReason, usage, providerMetadata, response, warnings } = answer
  const said = response && {
    id: response.id,
    modelId: response.modelId,
    timestamp: response.timestamp?.toISOString(),
  }
  return normalise({ content, finishReason, usage, providerMetadata, response: said, warnings }, 'answer')
}

/** The inverse of {@link answerStored}. */
export function answerServed(stored: Storable): LanguageModelV4GenerateResult {
  const answer = stored as unknown as LanguageModelV4GenerateResult & { response?: { timestamp?: unknown } }
  const timestamp: unknown = answer.response?.timestamp
  if (typeof timestamp !== 'string') return answer
  return { ...answer, response: { ...answer.response, timestamp: new Date(timestamp) } }
}
