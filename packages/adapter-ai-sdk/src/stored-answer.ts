import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import { toContent, type AssistantPart } from '@keepsake/agent'

/** A stored answer as the model gave it. What it used is not known any more. */
export function storedAnswer(parts: readonly AssistantPart[]): LanguageModelV4GenerateResult {
  const called = parts.some((part) => part.type === 'tool-call' && part.providerExecuted !== true)
  return {
    content: toContent(parts),
    finishReason: { unified: called ? 'tool-calls' : 'stop', raw: undefined },
    usage: {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    },
    providerMetadata: { keepsake: { replayed: true } },
    warnings: [],
  }
}

/** The same as a stream, each text in one piece. */
export function storedStream(parts: readonly AssistantPart[]): LanguageModelV4StreamResult {
  const { content, finishReason, usage, providerMetadata = {} } = storedAnswer(parts)
  const stream: LanguageModelV4StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    ...content.flatMap(streamParts),
    { type: 'finish', finishReason, usage, providerMetadata },
  ]
  return {
    stream: new ReadableStream({
      start(controller) {
        for (const part of stream) controller.enqueue(part)
        controller.close()
      },
    }),
  }
}

function streamParts(part: LanguageModelV4Content, index: number): LanguageModelV4StreamPart[] {
  if (part.type !== 'text' && part.type !== 'reasoning') return [part]
  const id = String(index)
  const metadata = part.providerMetadata === undefined ? {} : { providerMetadata: part.providerMetadata }
  return [
    { type: `${part.type}-start`, id },
    { type: `${part.type}-delta`, id, delta: part.text },
    { type: `${part.type}-end`, id, ...metadata },
  ]
}
