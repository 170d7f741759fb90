import type { Message, ReadTurns, Run, ThreadTurns } from '@keepsake/core'
import type { PrepareContext } from '@keepsake/strategies'
import type { InnerActivation } from '../engine/run/handler-context.ts'
import type { AgentSetup } from '../options/check-options.ts'
import { copyMessage } from '../convert/as-stored.ts'
import { threadCallIds } from '../tools/call-ids.ts'
import { refuse } from '../options/refuse.ts'
import { toolSpecs } from '../tools/tool-specs.ts'
import type { LoopOptions } from './loop.ts'
import { during } from './run-failed.ts'
import { runFiles } from './run-files.ts'
import type { RunSignal } from './run-signal.ts'
import type { RunToolset } from './run-toolset.ts'
import { startMiddleware, type StartedMiddleware } from './start-middleware.ts'
import { systemMessage } from './system-message.ts'

/** A turn that is ready for the model. */
export interface PreparedTurn {
  middleware: readonly StartedMiddleware[]
  loop: Omit<LoopOptions, 'inner' | 'input' | 'own'>
}

/** What the thread holds. `read` says where its next turn goes. */
export async function loadPast(
  setup: AgentSetup,
  turns: ThreadTurns | undefined,
  run: Run,
): Promise<{ messages: Message[]; read?: ReadTurns }> {
  const { history } = setup
  const { threadId, owner, signal } = run
  if (turns !== undefined) {
    const read = await during('history.load', () =>
      turns.read(threadId, { signal, ...(owner !== undefined && { owner }) }),
    )
    return { messages: read.messages, read }
  }
  if (history === undefined) return { messages: [] }
  return { messages: await listOf('history.load', () => history.load(threadId, prepareContext(setup, run))) }
}

export interface TurnInput {
  past: readonly Message[]
  input: readonly Message[]
  run: Run
  stop: RunSignal
  inner: InnerActivation
  /** Loaded. */
  toolset?: RunToolset | undefined
}

/** Everything before the first model call: what of the thread is sent, and with what. */
export async function prepareTurn(
  setup: AgentSetup,
  { past, input, run, stop, inner, toolset }: TurnInput,
): Promise<PreparedTurn> {
  const { model, history, clock, limits, schemas } = setup
  const context = prepareContext(setup, run)
  // Copies of the input: those who prepare messages may do it in place.
  let messages = [...past, ...input.map((message) => copyMessage(message))]
  const callIds = threadCallIds(messages)
  const middleware = await startMiddleware(setup.middleware, run, stop)
  const hooks = middleware.map((one) => one.hooks)
  const { tools, prompt, offload, asks } = await runFiles(setup, run, toolset?.tools)
  const memory = [prompt, toolset?.prompt() ?? ''].filter((text) => text !== '').join('\n\n')
  const system = await systemOnce(inner, () => systemMessage(setup.instructions, memory, hooks, run))

  if (history !== undefined) messages = await listOf('history.prepare', () => history.prepare(messages, context))
  for (const { name, hooks: theirs } of middleware) {
    if (theirs.prepare === undefined) continue
    messages = await listOf(`prepare of the middleware "${name}"`, () => theirs.prepare!(messages, context))
  }

  const specs = await toolSpecs(tools, run.context, schemas)
  const request = { abortSignal: run.signal, ...(specs.length > 0 && { tools: specs }) }
  const redone = new Set(Object.keys(toolset?.tools ?? {}).filter((name) => !setup.tools.has(name)))
  const shared = { redone, setup, model, tools, schemas, hooks, run, limits, clock, stop, offload, asks }
  return { middleware, loop: { ...shared, request, system, messages, callIds } }
}

/** Journaled with the first model call: what a run was told does not change in its midst. */
async function systemOnce(inner: InnerActivation, make: () => Promise<string>): Promise<string> {
  let failed: { error: unknown } | undefined
  const system = await inner.outside(async () => {
    try {
      return await make()
    } catch (error) {
      failed = { error }
      return null
    }
  })
  if (failed !== undefined) throw failed.error
  return system as string
}

function prepareContext({ model }: AgentSetup, run: Run): PrepareContext {
  const { threadId, owner, signal } = run
  const step: Run['step'] = (name, fn) => run.step(name, fn)
  return { threadId, model, signal, step, ...(owner !== undefined && { owner }) }
}

async function listOf(what: string, work: () => Message[] | Promise<Message[]>): Promise<Message[]> {
  const messages: unknown = await during(what, work)
  if (!Array.isArray(messages)) throw refuse(`What ${what} gives`, 'a list of messages', messages)
  return messages as Message[]
}
