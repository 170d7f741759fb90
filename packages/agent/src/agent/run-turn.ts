import { checkSchema, KeepsakeError } from '@keepsake/core'
import { inBackground } from '../engine/ground.ts'
import type { CheckedInput } from '../options/check-input.ts'
import type { AgentSetup } from '../options/check-options.ts'
import { refuse } from '../options/refuse.ts'
import type { Emit } from '../stream/stream-part.ts'
import { afterRunOf } from '../tools/as-tool.ts'
import type { AgentRuns } from './agent-runs.ts'
import type { Caller } from './caller.ts'
import { deliverRun } from './deliver-run.ts'
import { during, runFailed, withRunId } from './run-failed.ts'
import { waitedTooLong } from './run-outcome.ts'
import type { RunResult } from './run-result.ts'
import { runSignal } from './run-signal.ts'
import type { StartedMiddleware } from './start-middleware.ts'

/**
 * One turn of a thread, from its input to its result: an activation of the thread. A run that is stored already is not run
 * again: its result is served. One that was cut off goes on.
 */
export async function runTurn(
  setup: AgentSetup,
  runs: () => AgentRuns,
  take: () => CheckedInput,
  emit?: Emit,
): Promise<RunResult> {
  const input = take()
  const stop = runSignal(input.signal, setup.limits.timeoutMs, setup.clock)
  const caller: Caller = {
    runId: input.runId ?? setup.clock.newId(),
    context: undefined,
    owner: undefined,
    subject: undefined,
    stop,
    emit,
    own: {},
  }
  try {
    stop.check()
    emit?.({ type: 'start' })
    await stop.race(identify(setup, input, caller))
    if (runs().isBusy(input.threadId)) caller.own.waited = true
    const delivered = runs().inTurn(input.threadId, async () => {
      stop.check()
      return deliverRun(setup, runs(), input, caller)
    })
    const result = await stop.race(delivered)
    if (result.status === 'completed' && !result.replayed) {
      for (const one of (caller.own.middleware ?? []).toReversed()) await endRun(one, result)
      endTools(setup, runs(), result)
    }
    return result
  } catch (error) {
    if (!KeepsakeError.isInstance(error)) throw error
    const { waited, ran } = caller.own
    const inVain = waited === true && ran !== true && error.details['timeoutMs'] !== undefined
    throw withRunId(inVain ? waitedTooLong(setup) : error, caller.runId)
  } finally {
    stop.release()
  }
}

/** Checks the context and works out from it whose run this is. */
async function identify(setup: AgentSetup, input: CheckedInput, caller: Caller): Promise<void> {
  caller.context = await during('The context schema', () => checkSchema(setup.context, input.context, 'context'))
  caller.owner = await personOf('owner', setup.owner, caller.context)
  caller.subject = await personOf('subject', setup.subject, caller.context)
}

/** A person that cannot be told must not become nobody: nobody's memory would be everybody's. */
async function personOf(
  name: 'owner' | 'subject',
  from: ((context: any) => string) | undefined,
  context: unknown,
): Promise<string | undefined> {
  if (from === undefined) return undefined
  const person: unknown = await during(`The ${name} function`, () => from(context))
  if (typeof person !== 'string' || person === '')
    throw refuse(`What the ${name} function gives`, 'a text that is not empty', person)
  return person
}

async function endRun({ name, hooks }: StartedMiddleware, result: RunResult): Promise<void> {
  try {
    await hooks.end?.(result)
  } catch (error) {
    throw runFailed(`end of the middleware "${name}" failed`, error, { stored: 'The run is complete and stored.' })
  }
}

/** Lets the tools that the run called do what they do after it: nobody waits for that. */
function endTools({ tools }: AgentSetup, { ground }: AgentRuns, { messages, threadId, runId }: RunResult): void {
  const called = new Set(
    messages.flatMap(({ role, content }) =>
      role === 'assistant' && typeof content !== 'string'
        ? content.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []))
        : [],
    ),
  )
  for (const name of called) {
    const tool = tools.get(name)
    const after = tool && afterRunOf(tool)
    if (after !== undefined) inBackground(ground, () => after({ threadId, id: runId }))
  }
}
