import { inMemoryStore, threadTurns, type RowStore, type ThreadTurns } from '@keepsake/core'
import { checkEngineOptions } from '../engine/check-engine-options.ts'
import { makeGround, type OwnGround } from '../engine/create-engine-with.ts'
import { systemSeams } from '../engine/seams.ts'
import type { AgentSetup } from '../options/check-options.ts'
import type { RunData } from './caller.ts'
import { handleRun } from './handle-run.ts'

/** Keeps the runs of agents apart from the entities of engines; it is the kind of chat memory's threads. */
export const THREAD_KIND = 'thread'

/** What all runs of one agent stand on. */
export interface AgentRuns {
  ground: OwnGround
  /** Where messages are committed; left out: the history is none, or one of the caller's own. */
  turns: ThreadTurns | undefined
  /** Whether nothing of a run is to be kept once it is over. */
  passing: boolean
  /** Whether work on a thread is under way here. */
  isBusy(threadId: string): boolean
  /** Runs work on a thread once what was given before for the thread has ended. */
  inTurn<T>(threadId: string, work: () => Promise<T>): Promise<T>
  /** Waits for everything that is under way. */
  settled(): Promise<void>
}

/** Timers take no longer delays; the run's own time is watched by its signal. */
const NO_TIMEOUT_MS = 2 ** 31 - 1

export function agentRuns(setup: AgentSetup): AgentRuns {
  const { clock, limits } = setup
  const store: RowStore = setup.runStore ?? inMemoryStore()
  const turns = setup.chat === undefined ? undefined : threadTurns(store, clock)
  const engineOptions = {
    store,
    clock,
    handler: async () => undefined,
    timeoutMs: NO_TIMEOUT_MS,
    leaseMs: limits.leaseMs,
    waitMs: NO_TIMEOUT_MS,
  }
  const options = {
    ...checkEngineOptions(engineOptions),
    kind: THREAD_KIND,
    handler: (...given: Parameters<OwnGround['options']['handler']>) => handleRun(setup, turns, ...given),
    subjectOf(_threadId: string, data: unknown) {
      const { subject, owner } = data as RunData
      const person = subject ?? owner
      return person === undefined ? undefined : [person]
    },
    count: () => undefined,
    lenient: true,
    abortFails: true,
  }
  const ground = makeGround(engineOptions, options, systemSeams(clock))
  const last = new Map<string, Promise<unknown>>()
  return {
    ground,
    turns,
    passing: setup.runStore === undefined,
    isBusy: (threadId) => last.has(threadId),
    inTurn(threadId, work) {
      const done = (last.get(threadId) ?? Promise.resolve()).then(work)
      const over = done.then(
        () => undefined,
        () => undefined,
      )
      last.set(threadId, over)
      void over.then(() => {
        if (last.get(threadId) === over) last.delete(threadId)
      })
      return done
    },
    async settled() {
      while (last.size + ground.background.size > 0) await Promise.allSettled([...last.values(), ...ground.background])
    },
  }
}
