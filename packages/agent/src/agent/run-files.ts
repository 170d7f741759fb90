import type { Run, Tool } from '@keepsake/core'
import type { Files } from '@keepsake/files'
import { fingerprint } from '../engine/fingerprint.ts'
import type { AgentSetup } from '../options/check-options.ts'
import { refuse } from '../options/refuse.ts'
import type { ToolMap } from '../tools/tools.ts'
import { during } from './run-failed.ts'
import { threadState } from './thread-state.ts'

/** What memory files add to a run. */
export interface RunFiles {
  /** The agent's tools, and before them those of the files and of the toolset that it has not named itself. */
  tools: ToolMap
  /** For the system message; empty without `memoryFiles`. */
  prompt: string
  /** Keeps a long result of a tool and says where; left out without files. */
  offload?: Offload
  /** What a rule of the files has to ask somebody before a call can be run, such as `editing /a.md`; else `undefined`. */
  asks?: FileAsks
}

export type FileAsks = (toolName: string, input: unknown) => string | undefined

/** Writes a text to a file of its own and gives its path; `undefined` where it could not be written. */
export type Offload = (
  text: string,
  call: { toolCallId: string; opId: string; sources: readonly string[] },
) => Promise<string | undefined>

/** Reads the memory files as they are now: an edit is seen by the next run. */
export async function runFiles(
  setup: AgentSetup,
  run: Run,
  toolsetTools: Readonly<Record<string, Tool>> = {},
): Promise<RunFiles> {
  const before = Object.entries(toolsetTools)
  const paths = setup.memoryFiles
  if (setup.files === undefined && paths.length === 0)
    return { tools: new Map([...before, ...setup.tools]), prompt: '' }
  // Loaded here and not at the top: an agent without files does without the Markdown parser.
  const { fileApproval, fileTools, memoryPrompt, stateFiles } = await import('@keepsake/files')
  const promptOf = (files: Files, editable: boolean): Promise<string> =>
    during('Reading the memory files', () => memoryPrompt(files, paths, { signal: run.signal, editable }))
  if (setup.files === undefined) {
    const files = stateFiles(threadState(setup.stateStore!, run.threadId))
    return { tools: new Map([...before, ...setup.tools]), prompt: await promptOf(files, false) }
  }
  const files = await filesOf(setup.files, run)
  const own: Readonly<Record<string, Tool>> = fileTools(files)
  const tools = new Map<string, Tool>([...Object.entries(own), ...before, ...setup.tools])
  const isOwn = (name: string): boolean => Object.hasOwn(own, name) && own[name] === tools.get(name)
  return {
    tools,
    prompt: paths.length === 0 ? '' : await promptOf(files, true),
    offload: offloadTo(files, run),
    asks: (name, input) => (isOwn(name) ? fileApproval(files, name, input) : undefined),
  }
}

/** Under the id of the call, or, where another thread has a call of this id, with a mark of this run. */
function offloadTo(files: Files, run: Run): Offload {
  return async (text, { toolCallId, opId, sources }) => {
    const name = toolCallId.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 100)
    const change = { ifVersion: null, opId, sources, signal: run.signal }
    for (const path of [`/tool-results/${name}`, `/tool-results/${name}-${fingerprint([opId])}`]) {
      const written = await files.write(path, text, change)
      if (written.ok) return path
    }
    return undefined
  }
}

async function filesOf(option: NonNullable<AgentSetup['files']>, run: Run): Promise<Files> {
  if (typeof option !== 'function') return option
  const files = await during('The files function', () => option(run))
  if (typeof files?.read !== 'function')
    throw refuse('What the files function gives', 'Files, such as rowFiles(store, owner)', files)
  return files
}
