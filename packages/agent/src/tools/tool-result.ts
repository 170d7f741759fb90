import type { JSONValue } from '@ai-sdk/provider'
import type { Tool, ToolOutput } from '@keepsake/core'
import { asJson, asStored } from '../convert/as-stored.ts'
import { fromMetadata } from '../convert/provider-options.ts'
import { toPromptOutput } from '../convert/tool-output.ts'
import { bounded, longText, offloaded } from './bounded.ts'

/**
 * What a tool gave, as the model is shown it and the thread keeps it: by the tool's own `toModelOutput`, else a text as
 * it is and anything else as JSON (`undefined` is null, a Date its text), as in ai 7. A copy, and never longer than a
 * result may be; a long one is kept whole by `keepLong`, if that says where. Throws for what has no JSON or cannot be stored.
 */
export async function toToolOutput(
  tool: Tool,
  call: { toolCallId: string; input: unknown },
  result: unknown,
  keepLong?: (text: string) => Promise<string | undefined>,
): Promise<ToolOutput> {
  const output =
    tool.toModelOutput === undefined ? plain(result) : checked(await tool.toModelOutput({ ...call, output: result }))
  const stored = asStored({ output }).output
  const text = keepLong === undefined ? undefined : longText(stored)
  const path = text === undefined ? undefined : await keepLong!(text)
  return path === undefined ? bounded(stored) : offloaded(stored, text!, path)
}

function plain(result: unknown): ToolOutput {
  if (typeof result === 'string') return { type: 'text', value: result }
  return { type: 'json', value: asJson(result) as JSONValue }
}

/** Tools are not always type-checked, and a thread with an output that is none could not be sent to a model again. */
function checked(shown: unknown): ToolOutput {
  const { type, value, reason, providerOptions } = (shown ?? {}) as Record<string, unknown>
  const options = fromMetadata({ providerMetadata: providerOptions as never })
  switch (type) {
    case 'text':
    case 'error-text':
      if (typeof value !== 'string') throw noOutput()
      return { type, value, ...options }
    case 'json':
    case 'error-json':
      return { type, value: asJson(value) as JSONValue, ...options }
    case 'execution-denied':
      return { type, ...(typeof reason === 'string' && { reason }), ...options }
    case 'content': {
      if (!Array.isArray(value)) throw noOutput()
      const output = { type, value, ...options } as const
      const sent = toPromptOutput(output) as typeof output
      if (sent.value.some((item) => item.type === 'text' && typeof item.text !== 'string')) throw noOutput()
      return output
    }
    default:
      throw noOutput()
  }
}

function noOutput(): TypeError {
  return new TypeError('toModelOutput gave no tool output: it needs a type, and a value that fits it.')
}
