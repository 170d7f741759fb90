import type { JSONValue } from '@ai-sdk/provider'
import type { Tool, ToolOutput } from '@keepsake/core'

const OUTPUT_TYPES: readonly unknown[] = ['text', 'json', 'error-text', 'error-json', 'execution-denied', 'content']

/**
 * What a tool gave, as the model is shown it and the thread keeps it: by the tool's own `toModelOutput`, else a text as
 * it is and anything else as JSON (`undefined` is null, a Date its text), as in ai 7. Throws for what has no JSON.
 */
export async function toToolOutput(
  tool: Tool,
  call: { toolCallId: string; input: unknown },
  output: unknown,
): Promise<ToolOutput> {
  if (tool.toModelOutput !== undefined) {
    const { toolCallId, input } = call
    const shown: ToolOutput | undefined = await tool.toModelOutput({ toolCallId, input, output })
    if (!OUTPUT_TYPES.includes(shown?.type))
      throw new TypeError('toModelOutput gave no tool output: it needs a type and a value.')
    return shown!
  }
  if (typeof output === 'string') return { type: 'text', value: output }
  const json = JSON.stringify(output) as string | undefined
  return { type: 'json', value: json === undefined ? null : (JSON.parse(json) as JSONValue) }
}
