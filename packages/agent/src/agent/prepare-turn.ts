import type { Message, Run } from '@keepsake/core'
import type { PrepareContext } from '@keepsake/strategies'
import type { CheckedInput } from '../options/check-input.ts'
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
  loop: LoopOptions
}

/** Everything before the first model call: what the thread holds, and what of it is sent. */
export async function prepareTurn(
  setup: AgentSetup,
  input: CheckedInput,
  run: Run,
  stop: RunSignal,
  toolset?: RunToolset,
): Promise<PreparedTurn> {
  const { model, history, clock, limits, schemas } = setup
  const context = prepareContext(setup, run)

  const past = history && (await listOf('history.load', () => history.load(run.threadId, context)))
  // Copies of the input: those who prepare messages may do it in place.
  let messages = [...(past ?? []), ...input.messages.map((message) => copyMessage(message))]
  const callIds = threadCallIds(messages)
  const middleware = await startMiddleware(setup.middleware, run, stop)
  const hooks = middleware.map((one) => one.hooks)
  const { tools, prompt } = await runFiles(setup, run, toolset?.tools)
  const memory = [prompt, toolset?.prompt() ?? ''].filter((text) => text !== '').join('\n\n')
  const system = await systemMessage(setup.instructions, memory, hooks, run)

  if (history !== undefined) messages = await listOf('history.prepare', () => history.prepare(messages, context))
  for (const { name, hooks: theirs } of middleware) {
    if (theirs.prepare === undefined) continue
    messages = await listOf(`prepare of the middleware "${name}"`, () => theirs.prepare!(messages, context))
  }

  const specs = await toolSpecs(tools, run.context, schemas)
  const request = { abortSignal: run.signal, ...(specs.length > 0 && { tools: specs }) }
  const loop = { model, request, system, messages, callIds, tools, schemas, hooks, run, limits, clock, stop }
  return { middleware, loop }
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
