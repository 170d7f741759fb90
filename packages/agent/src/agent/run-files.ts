import type { Run, Tool } from '@keepsake/core'
import type { Files } from '@keepsake/files'
import type { AgentSetup } from '../options/check-options.ts'
import { refuse } from '../options/refuse.ts'
import type { ToolMap } from '../tools/tools.ts'
import { during } from './run-failed.ts'

/** What memory files add to a run. */
export interface RunFiles {
  /** The agent's tools, and before them those of the files and of the toolset that it has not named itself. */
  tools: ToolMap
  /** For the system message; empty without `memoryFiles`. */
  prompt: string
}

/** Reads the memory files as they are now: an edit is seen by the next run. */
export async function runFiles(
  setup: AgentSetup,
  run: Run,
  toolsetTools: Readonly<Record<string, Tool>> = {},
): Promise<RunFiles> {
  const before = Object.entries(toolsetTools)
  if (setup.files === undefined) return { tools: new Map([...before, ...setup.tools]), prompt: '' }
  // Loaded here and not at the top: an agent without files does without the Markdown parser.
  const { fileTools, memoryPrompt } = await import('@keepsake/files')
  const files = await filesOf(setup.files, run)
  const tools = new Map<string, Tool>([...Object.entries(fileTools(files)), ...before, ...setup.tools])
  const paths = setup.memoryFiles
  const prompt =
    paths.length === 0
      ? ''
      : await during('Reading the memory files', () => memoryPrompt(files, paths, { signal: run.signal }))
  return { tools, prompt }
}

async function filesOf(option: NonNullable<AgentSetup['files']>, run: Run): Promise<Files> {
  if (typeof option !== 'function') return option
  const files = await during('The files function', () => option(run))
  if (typeof files?.read !== 'function')
    throw refuse('What the files function gives', 'Files, such as rowFiles(store, owner)', files)
  return files
}
