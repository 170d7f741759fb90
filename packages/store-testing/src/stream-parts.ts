import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/**
 * Content as a provider streams it: texts and tool inputs in pieces of at most `deltaChars` characters between a start
 * and an end, everything else in one part. Characters are code points: a piece never ends within a surrogate pair.
 */
export function* contentToStreamParts(
  content: readonly LanguageModelV4Content[],
  deltaChars: number,
): Generator<LanguageModelV4StreamPart> {
  for (const [index, part] of content.entries()) {
    if (part.type === 'text' || part.type === 'reasoning') {
      const id = `${part.type}-${index}`
      const metadata = part.providerMetadata === undefined ? {} : { providerMetadata: part.providerMetadata }
      yield { type: `${part.type}-start`, id }
      for (const delta of pieces(part.text, deltaChars)) yield { type: `${part.type}-delta`, id, delta }
      yield { type: `${part.type}-end`, id, ...metadata }
    } else if (part.type === 'tool-call') {
      const id = part.toolCallId
      const executed = part.providerExecuted === undefined ? {} : { providerExecuted: part.providerExecuted }
      yield { type: 'tool-input-start', id, toolName: part.toolName, ...executed }
      for (const delta of pieces(part.input, deltaChars)) yield { type: 'tool-input-delta', id, delta }
      yield { type: 'tool-input-end', id }
      yield part
    } else yield part
  }
}

function* pieces(whole: string, chars: number): Generator<string> {
  const points = Array.from(whole)
  for (let i = 0; i < points.length; i += chars) yield points.slice(i, i + chars).join('')
}
