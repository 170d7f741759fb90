import { KeepsakeError, type Tool } from '@keepsake/core'
import type { Middleware } from '../agent/middleware.ts'
import type { ToolMap } from '../tools/tools.ts'
import type { AgentOptions } from './agent-options.ts'
import { refuse } from './refuse.ts'

/** The tools of an agent and of its middleware. Throws `invalid_value` for two of one name, and for what is no tool. */
export function collectTools(own: AgentOptions<any>['tools'], middleware: readonly Middleware[]): ToolMap {
  const tools = new Map<string, Tool>()
  const sources = [
    ...middleware.map(({ name, tools: theirs }) => [`middleware "${name}"`, theirs] as const),
    ['tools', own] as const,
  ]
  for (const [where, some = {}] of sources) {
    if (typeof some !== 'object' || some === null)
      throw refuse(where === 'tools' ? where : `tools of ${where}`, 'an object of tools by name', some)
    for (const [name, tool] of Object.entries(some) as [string, Tool][]) {
      if (tools.has(name)) {
        throw new KeepsakeError('invalid_value', `Two tools are named "${name}", one of them by ${where}; rename one.`)
      }
      checkTool(name, tool)
      tools.set(name, tool)
    }
  }
  return tools
}

interface AnyTool extends Tool {
  type?: unknown
  id?: unknown
  isProviderExecuted?: unknown
  needsApproval?: unknown
}

function checkTool(name: string, tool: AnyTool): void {
  if (typeof tool !== 'object' || tool === null) throw refuse(`The tool "${name}"`, "a tool, made by ai's tool()", tool)
  if (tool.needsApproval !== undefined && tool.needsApproval !== false) {
    throw new KeepsakeError(
      'unsupported',
      `The tool "${name}" needs approval, which this agent has no way to ask for. Leave needsApproval out and decide in ` +
        'execute, or in the wrapTool of a middleware: what it throws is handed to the model.',
    )
  }
  if (tool.type === 'provider') {
    if (typeof tool.id !== 'string') throw refuse(`id of the tool "${name}"`, 'a text, as a provider gives it', tool.id)
    if (tool.isProviderExecuted === true) return
  } else if (!['object', 'function'].includes(typeof tool.inputSchema) || tool.inputSchema === null) {
    throw refuse(`inputSchema of the tool "${name}"`, 'a schema, such as z.object({ … })', tool.inputSchema)
  }
  if (typeof tool.execute !== 'function')
    throw refuse(`execute of the tool "${name}"`, 'a function: an agent runs its tools itself', tool.execute)
}
