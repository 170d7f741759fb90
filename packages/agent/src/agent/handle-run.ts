import { KeepsakeError, type Message, type Run, type ThreadTurns, type Storable } from '@keepsake/core'
import type { FlushResult } from '@keepsake/files'
import type { Activation } from '../engine/activation.ts'
import type { InnerActivation } from '../engine/run/handler-context.ts'
import type { AgentSetup } from '../options/check-options.ts'
import type { Emit } from '../stream/stream-part.ts'
import type { Caller, RunData, RunOutput } from './caller.ts'
import { runLoop, type LoopResult } from './loop.ts'
import { loadPast, prepareTurn } from './prepare-turn.ts'
import { during } from './run-failed.ts'
import type { RunSignal } from './run-signal.ts'
import { takeToolset, type RunToolset } from './run-toolset.ts'
import { scopeName } from './scope-name.ts'

/**
 * A run, as the engine runs it: perhaps again from the start, after a crash or in another process. Model calls, results of
 * tools and steps are served from its journal then; the thread, files and instructions are read again, and an answer that is
 * journaled is served whatever the prompt would be now.
 */
export async function handleRun(
  setup: AgentSetup,
  turns: ThreadTurns | undefined,
  activation: Activation<RunData>,
  inner: InnerActivation,
): Promise<RunOutput> {
  const caller = inner.caller as Caller
  const { own } = caller
  const mine = activation.event.id === caller.runId
  if (mine) own.ran = true
  try {
    return await runOnce(setup, turns, activation, inner, mine)
  } catch (error) {
    if (mine && !activation.signal.aborted) own.error = error
    throw error
  }
}

async function runOnce(
  setup: AgentSetup,
  turns: ThreadTurns | undefined,
  activation: Activation<RunData>,
  inner: InnerActivation,
  mine: boolean,
): Promise<RunOutput> {
  const caller = inner.caller as Caller
  const { data } = activation.event
  // Whoever delivers has looked; between two looks it may have become somebody else's.
  if (data.owner !== caller.owner) throw notTheirs()
  const stop = stopOf(caller.stop, activation.signal)
  const emit = mine ? emitOf(caller, activation.signal) : undefined
  const run = runOf(activation, inner, caller, stop)

  const taken = await takeToolset(setup, run, data.messages)
  try {
    await taken?.load()
    return await runWith(taken)
  } finally {
    taken?.release()
  }

  async function runWith(toolset: RunToolset | undefined): Promise<RunOutput> {
    const past = await loadPast(setup, turns, run)
    const turn = await prepareTurn(setup, { past: past.messages, input: data.messages, run, stop, inner, toolset })
    if (mine) caller.own.middleware = turn.middleware
    const loop = await runLoop({ ...turn.loop, inner, input: data.messages, own: mine ? caller.own : {}, emit })
    stop.check()
    // From here on the run is not stopped any more: it would not be known whether it was stored.
    if (mine) caller.stop.release()
    const memory = toolset && (await flushOnce(inner, toolset))
    return keepTurn(setup, { turns, past, data, loop, run, inner, memory, own: mine ? caller.own : {} })
  }
}

/** Before the turn: memory of a turn that is stored would be lost. Journaled, so that what is written is not written again. */
async function flushOnce(inner: InnerActivation, toolset: RunToolset): Promise<FlushResult> {
  let failed: { error: unknown } | undefined
  try {
    const flushed = await inner.scope('flush', (scoped) =>
      scoped.call({
        asked: ['flush'],
        lenient: true,
        async make() {
          try {
            return (await toolset.flush()) as unknown as Storable
          } catch (error) {
            failed = { error }
            throw error
          }
        },
      }),
    )
    return flushed as unknown as FlushResult
  } catch (error) {
    throw failed === undefined ? error : failed.error
  }
}

/** Has the turn committed with the run, or hands it to a history of the caller's own first. */
async function keepTurn(
  { history }: AgentSetup,
  given: {
    turns: ThreadTurns | undefined
    past: Awaited<ReturnType<typeof loadPast>>
    data: RunData
    loop: LoopResult
    run: Run
    inner: InnerActivation
    memory: FlushResult | undefined
    own: Caller['own']
  },
): Promise<RunOutput> {
  const { turns, past, data, loop, run, inner, own } = given
  const memory = given.memory === undefined ? {} : { memory: given.memory }
  const { threadId, id: runId } = run
  const { owner, subject } = data
  const { usage, finishReason, rawFinishReason } = loop
  const whole = [...data.messages, ...loop.produced]
  const output: RunOutput = {
    usage,
    finishReason,
    ...(rawFinishReason !== undefined && { rawFinishReason }),
    inputs: data.messages.length,
  }
  if (turns !== undefined) {
    inner.say(async (mark) => {
      const read = past.read ?? { life: undefined, newestSeq: 0 }
      const { row, messages } = await turns.place({ threadId, messages: whole, read, owner, subject }, mark)
      own.done = { output, messages, ...memory }
      return row
    })
    return output
  }
  const whose = { ...(owner !== undefined && { owner }), ...(subject !== undefined && { subject }) }
  const stored =
    history &&
    (await during('history.append', () => history.append(threadId, whole, { opId: runId, ...whose }), {
      stored: 'Whether the run was stored is not known; repeated with the same runId it is stored once.',
    }))
  // Chat memory gives the messages back with their ids, and those of the first time if the run is a repeat.
  const messages = isMessages(stored) ? stored : whole
  own.done = { output, messages, ...memory }
  return { ...output, messages }
}

function isMessages(stored: unknown): stored is Message[] {
  if (!Array.isArray(stored) || stored.length === 0) return false
  return stored.every((one: Message | undefined) => typeof one?.role === 'string' && one.content !== undefined)
}

function runOf(activation: Activation<RunData>, inner: InnerActivation, caller: Caller, stop: RunSignal): Run {
  const uses = new Map<string, number>()
  return {
    id: activation.event.id,
    threadId: activation.entity,
    owner: activation.event.data.owner,
    context: caller.context,
    signal: stop.signal,
    nowMs: activation.nowMs,
    async step(name, fn) {
      stop.check()
      const use = (uses.get(name) ?? 0) + 1
      uses.set(name, use)
      // Each in a scope of its own: steps of middleware and tools may come in any order.
      return inner.scope(scopeName('step', name, String(use)), (calls) => calls.step(name, fn))
    },
  }
}

/** Stopped by the caller, or because another worker has the run. */
function stopOf(outer: RunSignal, attempt: AbortSignal): RunSignal {
  return {
    signal: AbortSignal.any([outer.signal, attempt]),
    check() {
      outer.check()
      attempt.throwIfAborted()
    },
    race: (work) => outer.race(work),
    release: () => outer.release(),
  }
}

/** What an attempt that is over says is not shown. One that begins again takes back what was. */
function emitOf({ emit, own }: Caller, attempt: AbortSignal): Emit | undefined {
  if (emit === undefined) return undefined
  if (own.shown) emit({ type: 'raw', rawValue: { keepsake: 'reset' } })
  return (part) => {
    if (attempt.aborted) return
    own.shown = true
    emit(part)
  }
}

export function notTheirs(): KeepsakeError {
  return new KeepsakeError(
    'wrong_owner',
    'A run of another owner is under way in this thread. Nothing of it was read or written; use another thread id.',
  )
}
