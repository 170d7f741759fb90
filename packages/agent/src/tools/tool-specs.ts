import type { LanguageModelV4FunctionTool, LanguageModelV4ProviderTool } from '@ai-sdk/provider'
import type { Tool } from '@keepsake/core'
import { during } from '../agent/run-failed.ts'
import type { ToolSchemas } from './tool-schemas.ts'
import type { ToolMap } from './tools.ts'

type ToolSpec = LanguageModelV4FunctionTool | LanguageModelV4ProviderTool

/** What ai's tools have beyond ours, and V4 models understand. */
type AnyTool = Tool &
  Partial<Omit<LanguageModelV4FunctionTool, 'type' | 'description' | 'inputSchema'>> & {
    type?: 'function' | 'dynamic' | 'provider'
    id?: LanguageModelV4ProviderTool['id']
    args?: Record<string, unknown>
  }

/** The tools as a model is offered them, in the order of the map: a prompt cache needs it to stay the same. */
export function toolSpecs(tools: ToolMap, context: unknown, schemas: ToolSchemas): Promise<ToolSpec[]> {
  return Promise.all(
    Array.from(tools, ([name, tool]) =>
      during(`Describing the tool "${name}" to the model`, () => toSpec(name, tool, context, schemas)),
    ),
  )
}

async function toSpec(name: string, tool: AnyTool, context: unknown, schemas: ToolSchemas): Promise<ToolSpec> {
  if (tool.type === 'provider') return { type: 'provider', name, id: tool.id!, args: tool.args ?? {} }
  const description = typeof tool.description === 'function' ? tool.description({ context }) : tool.description
  return {
    type: 'function',
    name,
    inputSchema: await schemas.jsonSchema(tool),
    ...(description !== undefined && { description }),
    ...(tool.inputExamples !== undefined && { inputExamples: tool.inputExamples }),
    ...(tool.strict !== undefined && { strict: tool.strict }),
    ...(tool.providerOptions !== undefined && { providerOptions: tool.providerOptions }),
  }
}
