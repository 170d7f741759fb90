import type { ToolResultPart } from '@keepsake/core'
import type { AssistantPart } from '../convert/from-content.ts'
import type { StreamPart } from './stream-part.ts'

/** The calls of an answer, and the results of tools that the provider ran, as parts of a run's stream. */
export function callParts(parts: readonly AssistantPart[]): StreamPart[] {
  const inputs = new Map<string, unknown>()
  return parts.flatMap((part): StreamPart[] => {
    if (part.type === 'tool-call') {
      const { toolCallId, toolName, input } = part
      inputs.set(toolCallId, input)
      const executed = part.providerExecuted === true ? { providerExecuted: true } : {}
      return [{ type: 'tool-call', dynamic: true, toolCallId, toolName, input, ...executed }]
    }
    if (part.type !== 'tool-result') return []
    const { toolCallId, toolName, output } = part
    const value = 'value' in output ? output.value : null
    const call = {
      dynamic: true,
      providerExecuted: true,
      toolCallId,
      toolName,
      input: inputs.get(toolCallId) ?? {},
    } as const
    return output.type.startsWith('error-')
      ? [{ type: 'tool-error', error: value, ...call }]
      : [{ type: 'tool-result', output: value, ...call }]
  })
}

/** Texts that are served from what is stored bear this, under `providerMetadata`. */
const REPLAYED = { keepsake: { replayed: true } }

/** The texts of an answer that did not come by a stream, as if it had. */
export function textParts(parts: readonly AssistantPart[], replayed = false): StreamPart[] {
  return parts.flatMap((part, index): StreamPart[] => {
    if (part.type !== 'text' && part.type !== 'reasoning') return []
    const { type, text, providerOptions } = part
    const id = `${type}-${index}`
    const all = { ...providerOptions, ...(replayed && REPLAYED) }
    const metadata = Object.keys(all).length === 0 ? {} : { providerMetadata: all }
    const mark = replayed ? { providerMetadata: REPLAYED } : {}
    return [
      { type: `${type}-start`, id, ...mark },
      { type: `${type}-delta`, id, text, ...mark },
      { type: `${type}-end`, id, ...metadata },
    ]
  })
}

/** The results of calls that our tools answered, as they were stored. */
export function resultParts(calls: readonly AssistantPart[], results: readonly ToolResultPart[]): StreamPart[] {
  return results.map(({ toolCallId, toolName, output }): StreamPart => {
    const call = calls.find((part) => part.type === 'tool-call' && part.toolCallId === toolCallId)
    const input = call?.type === 'tool-call' ? call.input : {}
    if (output.type === 'execution-denied') return { type: 'tool-output-denied', toolCallId, toolName }
    const value = 'value' in output ? output.value : null
    const rest = { dynamic: true, toolCallId, toolName, input } as const
    return output.type.startsWith('error-')
      ? { type: 'tool-error', error: value, ...rest }
      : { type: 'tool-result', output: value, ...rest }
  })
}
