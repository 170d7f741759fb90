import type { Message, Run } from '@keepsake/core'
import type { PrepareContext } from '@keepsake/strategies'
import { checkInput, type CheckedInput } from '../options/check-input.ts'
import type { AgentSetup } from '../options/check-options.ts'
import { refuse } from '../options/refuse.ts'
import type { Emit } from '../stream/stream-part.ts'
import { toolSpecs } from '../tools/tool-specs.ts'
import { runLoop, type LoopResult } from './loop.ts'
import type { Middleware, RunHooks } from './middleware.ts'
import { during, runFailed } from './run-failed.ts'
import { runFiles } from './run-files.ts'
import type { RunResult } from './run-result.ts'
import { runSignal, type RunSignal } from './run-signal.ts'
import { startRun, type StartedRun } from './start-run.ts'
import { systemMessage } from './system-message.ts'

interface Outcome extends StartedRun, LoopResult {
  ends: readonly NonNullable<RunHooks['end']>[]
}

/** One turn of a thread, from its input to its result. Nothing is stored before it is complete, and all of it at once. */
export async function runTurn(setup: AgentSetup, given: unknown, emit?: Emit): Promise<RunResult> {
  const input = checkInput(given)
  const stop = runSignal(input.signal, setup.limits.timeoutMs)
  let over = false
  // What the model or a tool does after the run was stopped is not heard.
  const emitWhileRunning =
    emit === undefined ? undefined : (part: Parameters<Emit>[0]) => (over ? undefined : emit(part))
  try {
    emitWhileRunning?.({ type: 'start' })
    const outcome = await stop.race(work(setup, input, stop, emitWhileRunning))
    stop.check()
    // From here on the run is not stopped any more: it would not be known whether it was stored.
    stop.release()
    const result = await store(setup, input, outcome)
    for (const end of outcome.ends.toReversed()) await endHook(end, result)
    const { finishReason, rawFinishReason, usage } = outcome
    emit?.({ type: 'finish', finishReason, rawFinishReason, totalUsage: usage })
    return result
  } finally {
    over = true
    stop.release()
  }
}

async function work(setup: AgentSetup, input: CheckedInput, stop: RunSignal, emit: Emit | undefined): Promise<Outcome> {
  const { model, history, clock, limits, schemas } = setup
  stop.check()
  const started = await startRun(setup, input, stop)
  const { run } = started
  const context = prepareContext(setup, run)

  const past =
    history === undefined ? [] : await during('Loading the history', () => history.load(run.threadId, context))
  if (!Array.isArray(past)) throw refuse('What history.load gives', 'a list of messages', past)
  const thread = [...past, ...input.messages]
  const hooks = await startMiddleware(setup.middleware, run, stop)
  const { tools, prompt: memory } = await runFiles(setup, run)
  const system = await systemMessage(setup.instructions, memory, hooks, run)

  let messages: Message[] = thread
  if (history !== undefined) messages = await prepared('history.prepare', () => history.prepare(messages, context))
  for (const hook of hooks) {
    if (hook.prepare !== undefined)
      messages = await prepared('prepare of a middleware', () => hook.prepare!(messages, context))
  }

  const specs = await toolSpecs(tools, run.context, schemas)
  const request = { abortSignal: run.signal, ...(specs.length > 0 && { tools: specs }) }
  const done = await runLoop({
    model,
    request,
    system,
    messages,
    thread,
    tools,
    schemas,
    hooks,
    run,
    limits,
    clock,
    stop,
    emit,
  })
  const ends = hooks.flatMap((hook) => (hook.end === undefined ? [] : [hook.end.bind(hook)]))
  return { ...started, ...done, ends }
}

function prepareContext({ model }: AgentSetup, run: Run): PrepareContext {
  const { threadId, owner, signal } = run
  return {
    threadId,
    model,
    signal,
    step: (name, fn) => run.step(name, fn),
    ...(owner !== undefined && { owner }),
  }
}

async function startMiddleware(middleware: readonly Middleware[], run: Run, stop: RunSignal): Promise<RunHooks[]> {
  const all: RunHooks[] = []
  for (const one of middleware) {
    stop.check()
    const hooks = await during(`start of the middleware "${one.name}"`, () => one.start?.(run))
    if (hooks !== undefined && hooks !== null) all.push(hooks)
  }
  return all
}

async function prepared(what: string, prepare: () => Message[] | Promise<Message[]>): Promise<Message[]> {
  const messages: unknown = await during(what, prepare)
  if (!Array.isArray(messages)) throw refuse(`What ${what} gives`, 'a list of messages', messages)
  return messages as Message[]
}

async function store({ history }: AgentSetup, input: CheckedInput, outcome: Outcome): Promise<RunResult> {
  const { run, subject, produced, usage, finishReason } = outcome
  const whole = [...input.messages, ...produced]
  const options = {
    opId: run.id,
    ...(run.owner !== undefined && { owner: run.owner }),
    ...(subject !== undefined && { subject }),
  }
  const stored = await during('Storing the run', () => history?.append(run.threadId, whole, options))
  // Chat memory gives the messages back with their ids, and those of the first time if the run is a repeat.
  const messages = Array.isArray(stored) && stored.length > 0 ? (stored as Message[]) : whole
  const text = textOf(messages.slice(input.messages.length).findLast(({ role }) => role === 'assistant'))
  return {
    status: 'completed',
    runId: run.id,
    threadId: run.threadId,
    text,
    messages,
    usage,
    finishReason,
    replayed: false,
  }
}

function textOf(message: Message | undefined): string {
  const content = message?.content ?? ''
  return typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

async function endHook(end: NonNullable<RunHooks['end']>, result: RunResult): Promise<void> {
  try {
    await end(result)
  } catch (error) {
    throw runFailed('The end hook of a middleware failed', error)
  }
}
