import { inMemoryStore, type Tool } from '@keepsake/core'
import type { Files } from '../src/files.ts'
import { rowFiles } from '../src/row-files.ts'
import { createMemoryToolset, type MemoryToolset } from '../src/toolset/memory-toolset.ts'
import type { ToolsetOptions } from '../src/toolset/toolset-options.ts'

export const USER = '/me/MEMORY.md'
export const topic = (description: string, body: string): string => `---\ndescription: ${description}\n---\n\n${body}\n`
export const lines = (count: number): string => Array.from({ length: count }, (_, i) => `- ${i + 1}\n`).join('')

export async function filesWith(contents: Record<string, string>): Promise<Required<Files>> {
  const files = rowFiles(inMemoryStore(), 'ada')
  for (const [path, content] of Object.entries(contents)) await files.write(path, content)
  return files
}

export async function textOf(files: Files, path: string): Promise<string | undefined> {
  const file = await files.read(path)
  return file.ok ? file.value.content : undefined
}

export async function call(toolset: MemoryToolset, name: string, input: object): Promise<string> {
  const tool: Tool = toolset.tools[name]!
  return tool.execute!(tool.inputSchema.parse(input), { toolCallId: 'c', messages: [], context: undefined })
}

export async function loaded(files: Files, options: ToolsetOptions, query?: string): Promise<MemoryToolset> {
  const toolset = createMemoryToolset(files, options)
  await toolset.load(query === undefined ? {} : { query })
  return toolset
}
