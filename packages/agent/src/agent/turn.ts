import { checkInput } from '../options/check-input.ts'
import type { AgentSetup } from '../options/check-options.ts'
import type { Emit } from '../stream/stream-part.ts'
import { runLoop } from './loop.ts'
import { prepareTurn } from './prepare-turn.ts'
import { runFailed } from './run-failed.ts'
import type { RunResult } from './run-result.ts'
import { runSignal } from './run-signal.ts'
import type { StartedMiddleware } from './start-middleware.ts'
import { storeTurn } from './store-turn.ts'

/** One turn of a thread, from its input to its result. Nothing is stored before it is complete, and all of it at once. */
export async function runTurn(setup: AgentSetup, given: unknown, emit?: Emit): Promise<RunResult> {
  const input = checkInput(given)
  const stop = runSignal(input.signal, setup.limits.timeoutMs)
  const listener = emit && untilDone(emit)
  try {
    stop.check()
    listener?.emit({ type: 'start' })
    const { turn, loop } = await stop.race(
      prepareTurn(setup, input, stop).then(async (prepared) => ({
        turn: prepared,
        loop: await runLoop({ ...prepared.loop, emit: listener?.emit }),
      })),
    )
    stop.check()
    // From here on the run is not stopped any more: it would not be known whether it was stored.
    stop.release()
    const result = await storeTurn(setup, input, turn.started, loop)
    for (const one of turn.middleware.toReversed()) await endRun(one, result)
    const { finishReason, rawFinishReason, usage } = loop
    listener?.emit({ type: 'finish', finishReason, rawFinishReason, totalUsage: usage })
    return result
  } finally {
    listener?.done()
    stop.release()
  }
}

/** What a model or a tool does after its run was stopped is not heard. */
function untilDone(emit: Emit): { emit: Emit; done(): void } {
  let heard: Emit | undefined = emit
  return { emit: (part) => heard?.(part), done: () => (heard = undefined) }
}

async function endRun({ name, hooks }: StartedMiddleware, result: RunResult): Promise<void> {
  try {
    await hooks.end?.(result)
  } catch (error) {
    throw runFailed(`end of the middleware "${name}" failed`, error, { stored: 'The run is complete and stored.' })
  }
}
