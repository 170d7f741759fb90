import type { Tool } from '@keepsake/core'

/**
 * Tools by name. A tool made by ai's `tool()` fits if the agent's context has what its `contextSchema` asks for; one
 * without a `contextSchema` fits any agent.
 */
export type Tools<C> = Record<string, Tool<C> | Tool<Record<string, unknown>>>

/** What an agent works with: names come from models, so they are looked up in a map and never in an object. */
export type ToolMap = ReadonlyMap<string, Tool>
