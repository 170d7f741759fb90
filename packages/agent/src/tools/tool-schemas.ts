import type { JSONSchema7 } from '@ai-sdk/provider'
import type { Schema } from '@ai-sdk/provider-utils'
import type { Tool } from '@keepsake/core'

type Checked = { input: unknown; problem?: undefined } | { problem: string }

/** The input schemas of tools: any that the AI SDK takes, each worked out once, when it is first needed. */
export interface ToolSchemas {
  jsonSchema(tool: Tool): Promise<JSONSchema7>
  /** The input as the schema gives it out, or what is wrong with it, in words for the model. */
  check(tool: Tool, input: unknown): Promise<Checked>
}

/** How much of what is wrong a model is told. */
const MAX_ISSUES = 20

export function toolSchemas(): ToolSchemas {
  const schemas = new WeakMap<object, Schema>()
  async function schemaOf({ inputSchema }: Tool): Promise<Schema> {
    const known = schemas.get(inputSchema)
    if (known !== undefined) return known
    // Loaded here and not at the top: it brings zod along, which an agent without tools never needs.
    const { asSchema } = await import('@ai-sdk/provider-utils')
    const schema = asSchema(inputSchema)
    schemas.set(inputSchema, schema)
    return schema
  }
  return {
    jsonSchema: async (tool) => (await schemaOf(tool)).jsonSchema,
    async check(tool, input) {
      const { validate } = await schemaOf(tool)
      if (validate === undefined) return { input }
      const result = await validate(input)
      return result.success ? { input: result.value } : { problem: explain(result.error) }
    },
  }
}

/** The issues of a Standard Schema or zod, a line each; else the error's own words. */
function explain(error: Error & { issues?: unknown }): string {
  const issues = error.issues ?? error.cause
  if (!Array.isArray(issues)) return error.message
  return issues.slice(0, MAX_ISSUES).map(issueText).join('; ')
}

function issueText(issue: { path?: readonly unknown[]; message?: unknown }): string {
  const path = (issue.path ?? []).map((key) =>
    String(typeof key === 'object' && key !== null && 'key' in key ? key.key : key),
  )
  return path.length === 0 ? String(issue.message) : `${path.join('.')}: ${String(issue.message)}`
}
