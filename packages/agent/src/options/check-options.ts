import type { LanguageModelV4 } from '@ai-sdk/provider'
import { checkStore, KeepsakeError, systemClock, type Clock, type RowStore, type Run } from '@keepsake/core'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { checkLimits, type Limits } from '../agent/limits.ts'
import { readApproval, type ToolApproval } from '../agent/approvals.ts'
import type { Middleware } from '../agent/middleware.ts'
import { toolSchemas, type ToolSchemas } from '../tools/tool-schemas.ts'
import type { ToolMap } from '../tools/tools.ts'
import type { AgentOptions } from './agent-options.ts'
import { chooseHistory, type ChosenHistory } from './history-option.ts'
import { checkToolset } from './check-toolset.ts'
import { collectTools } from './collect-tools.ts'
import { checkNames, refuse } from './refuse.ts'
import { isRemembering } from './remembering-model.ts'

/** An agent's options, checked, with their defaults. What depends on the context is worked out in each run. */
export interface AgentSetup extends ChosenHistory {
  model: LanguageModelV4
  instructions: string | ((run: Run) => string | Promise<string>) | undefined
  tools: ToolMap
  schemas: ToolSchemas
  files: AgentOptions<any>['files']
  memoryFiles: readonly string[]
  /** Where memory files are looked up, in the thread's state; left out where there are none, or files of their own. */
  stateStore: RowStore | undefined
  toolset: AgentOptions<any>['toolset']
  /** Toolsets that a run works with. */
  busyToolsets: WeakSet<object>
  context: StandardSchemaV1<unknown, unknown> | undefined
  owner: ((context: any) => string) | undefined
  subject: ((context: any) => string) | undefined
  toolApproval: ToolApproval | undefined
  middleware: readonly Middleware[]
  limits: Required<Limits>
  clock: Clock
}

const NAMES = [
  'model',
  'instructions',
  'tools',
  'store',
  'history',
  'files',
  'memoryFiles',
  'toolset',
  'context',
  'owner',
  'subject',
  'toolApproval',
  'middleware',
  'limits',
  'clock',
] satisfies (keyof AgentOptions<unknown>)[]

/** Throws `invalid_value` that names the option. Calls nothing and reads nothing. */
export function checkOptions(options: AgentOptions<any>): AgentSetup {
  if (typeof options !== 'object' || options === null) throw refuse('The options of createAgent', 'an object', options)
  checkNames('createAgent', options, NAMES)
  const {
    model,
    instructions,
    store,
    history,
    files,
    memoryFiles,
    toolset,
    context,
    owner,
    subject,
    toolApproval,
    clock = systemClock(),
  } = options
  checkModel(model)
  if (!['undefined', 'string', 'function'].includes(typeof instructions)) {
    throw refuse('instructions', 'a text or a function of the run', instructions)
  }
  if (store !== undefined) checkStore(store)
  if (files !== undefined && typeof files !== 'function' && typeof files?.read !== 'function') {
    throw refuse('files', 'Files, such as localFiles({ root }), or a function of the run that gives them', files)
  }
  if (toolset !== undefined && typeof toolset !== 'function') checkToolset('toolset', toolset)
  if (context !== undefined && typeof context?.['~standard']?.validate !== 'function') {
    throw refuse('context', 'a Standard Schema, such as z.object({ userId: z.string() })', context)
  }
  for (const [name, value] of Object.entries({ owner, subject })) {
    if (value !== undefined && typeof value !== 'function') throw refuse(name, 'a function of the context', value)
  }
  const middleware = checkMiddleware(options.middleware)
  const tools = collectTools(options.tools, middleware)
  const chosen = chooseHistory(history, store, clock)
  if (chosen.history !== undefined && isRemembering(model)) {
    throw new KeepsakeError(
      'invalid_value',
      "model stores its conversations itself (historyMiddleware), and so would the agent. Pass the model that it wraps, or history: 'none'.",
    )
  }
  const paths = checkMemoryFiles(memoryFiles)
  const inState = paths.length > 0 && files === undefined
  const stateStore = inState ? (chosen.runStore ?? store) : undefined
  if (inState) warnOfState(stateStore)
  return {
    model,
    instructions,
    tools,
    schemas: toolSchemas(),
    files,
    memoryFiles: paths,
    stateStore,
    toolset,
    busyToolsets: new WeakSet(),
    context,
    owner,
    subject,
    toolApproval: checkApproval(toolApproval, tools),
    middleware,
    limits: checkLimits(options.limits),
    clock,
    ...chosen,
  }
}

function checkModel(model: LanguageModelV4 | undefined): void {
  if (model === undefined) throw refuse('model', "a model of an AI SDK provider, such as openai('gpt-5')", model)
  if (typeof model === 'string') {
    throw new KeepsakeError(
      'invalid_value',
      "model is a text; pass the model itself, such as openai('gpt-5') of @ai-sdk/openai.",
    )
  }
  if (typeof model?.doGenerate !== 'function' || typeof model.doStream !== 'function') {
    throw refuse('model', 'a LanguageModelV4, with doGenerate and doStream', model)
  }
  if (model.specificationVersion !== 'v4') {
    const version = JSON.stringify(model.specificationVersion)
    throw new KeepsakeError(
      'invalid_value',
      `model is of specification ${version}; use a provider for ai 7, which is of "v4".`,
    )
  }
}

/** Throws where there is no state either; else somebody has to be told, since files are most often meant to be elsewhere. */
function warnOfState(stateStore: RowStore | undefined): void {
  if (stateStore === undefined) {
    throw new KeepsakeError(
      'invalid_value',
      'memoryFiles needs files where nothing of a thread is kept: say in which filesystem they are, such as files: rowFiles(store, owner).',
    )
  }
  // oxlint-disable-next-line no-console -- nothing fails, and the files would be missing in silence
  console.warn(
    'Keepsake: memoryFiles without files are looked up in the state of each thread, and the agent has no tools to edit them. Pass files to keep them elsewhere, such as files: rowFiles(store, owner).',
  )
}

function checkMemoryFiles(memoryFiles: unknown): readonly string[] {
  if (memoryFiles === undefined) return []
  if (memoryFiles === true) return ['/AGENTS.md']
  if (!Array.isArray(memoryFiles)) throw refuse('memoryFiles', 'true or a list of paths', memoryFiles)
  for (const path of memoryFiles as unknown[]) {
    if (typeof path !== 'string' || !path.startsWith('/'))
      throw refuse('Each of memoryFiles', 'a path that begins with /', path)
  }
  return [...(memoryFiles as string[])]
}

/** Throws for a tool that nobody has: the one that was meant would run unasked. File tools come with each run's files. */
function checkApproval(toolApproval: unknown, tools: ToolMap): ToolApproval | undefined {
  if (toolApproval === undefined) return undefined
  if (typeof toolApproval !== 'object' || toolApproval === null)
    throw refuse('toolApproval', "an object, such as { delete_file: 'user-approval' }", toolApproval)
  for (const [name, approval] of Object.entries(toolApproval)) {
    if (!tools.has(name) && !FILE_TOOLS.includes(name)) {
      throw new KeepsakeError(
        'invalid_value',
        `toolApproval names the tool "${name}", and this agent has none of that name.`,
      )
    }
    if (typeof approval !== 'function') readApproval(approval, name)
  }
  return { ...(toolApproval as ToolApproval) }
}

const FILE_TOOLS = ['ls', 'read_file', 'write_file', 'edit_file', 'glob', 'grep']

function checkMiddleware(middleware: readonly Middleware[] = []): readonly Middleware[] {
  if (!Array.isArray(middleware)) throw refuse('middleware', 'a list', middleware)
  for (const [index, one] of (middleware as { name?: unknown; start?: unknown }[]).entries()) {
    if (typeof one?.name !== 'string') throw refuse(`middleware[${index}]`, 'an object with a name', one)
    const { name, start } = one
    if (start !== undefined && typeof start !== 'function')
      throw refuse(`start of middleware "${name}"`, 'a function', start)
  }
  return [...middleware]
}
