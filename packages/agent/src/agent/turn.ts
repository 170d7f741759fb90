import { KeepsakeError } from '@keepsake/core'
import type { CheckedInput } from '../options/check-input.ts'
import type { AgentSetup } from '../options/check-options.ts'
import type { Emit } from '../stream/stream-part.ts'
import { runLoop } from './loop.ts'
import { prepareTurn } from './prepare-turn.ts'
import { runFailed, withRunId } from './run-failed.ts'
import type { RunResult } from './run-result.ts'
import { firstTurn, replayTurn } from './replay-turn.ts'
import { runSignal } from './run-signal.ts'
import { takeToolset, type RunToolset } from './run-toolset.ts'
import type { StartedMiddleware } from './start-middleware.ts'
import { startRun } from './start-run.ts'
import { storeTurn } from './store-turn.ts'

/**
 * One turn of a thread, from its input to its result. Nothing is stored before it is complete, and all of it at once. A run
 * that is stored already is not run again: its result is served.
 */
export async function runTurn(setup: AgentSetup, take: () => CheckedInput, emit?: Emit): Promise<RunResult> {
  const input = take()
  const stop = runSignal(input.signal, setup.limits.timeoutMs, setup.clock)
  const runId = input.runId ?? setup.clock.newId()
  let memory: RunToolset | undefined
  try {
    stop.check()
    emit?.({ type: 'start' })
    const started = await stop.race(startRun(setup, input, runId, stop))
    const first = await stop.race(firstTurn(setup, input, started.run))
    if (first !== undefined) return replayTurn(first, setup, emit)
    memory = await takeToolset(setup, started.run, input)
    await stop.race(memory?.load() ?? Promise.resolve())
    const turn = await stop.race(prepareTurn(setup, input, started.run, stop, memory))
    const loop = await stop.race(runLoop({ ...turn.loop, emit }))
    stop.check()
    // From here on the run is not stopped any more: it would not be known whether it was stored.
    stop.release()
    // Before the turn: a run that ends here is run again, while memory of a turn that is stored would be lost.
    const written = await memory?.flush()
    const stored = await storeTurn(setup, input, started, loop)
    const result = written === undefined ? stored : { ...stored, memory: written }
    for (const one of turn.middleware.toReversed()) await endRun(one, result)
    const { finishReason, rawFinishReason, usage } = loop
    emit?.({ type: 'finish', finishReason, rawFinishReason, totalUsage: usage })
    return result
  } catch (error) {
    throw KeepsakeError.isInstance(error) ? withRunId(error, runId) : error
  } finally {
    memory?.release()
    stop.release()
  }
}

async function endRun({ name, hooks }: StartedMiddleware, result: RunResult): Promise<void> {
  try {
    await hooks.end?.(result)
  } catch (error) {
    throw runFailed(`end of the middleware "${name}" failed`, error, { stored: 'The run is complete and stored.' })
  }
}
