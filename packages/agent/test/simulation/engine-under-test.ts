import type { JSONValue } from '@ai-sdk/provider'
import {
  createClock,
  encodeEnvelope,
  encodeTuple,
  ownerEntity,
  type Key,
  type RowStore,
  type Storable,
} from '@keepsake/core'
import type { Activation, Outcome } from '../../src/engine/activation.ts'
import { createEngineWith } from '../../src/engine/create-engine-with.ts'
import { flushToLongterm } from '../../src/engine/expiry/flush-to-longterm.ts'
import { dropOldestCompactor } from '../../src/engine/memory/compactor.ts'
import type { Seams } from '../../src/engine/seams.ts'
import type { Attempt } from './attempt.ts'
import type { Checker } from './checker.ts'
import { play, type Observer, type Outside, type Program } from './programs.ts'
import type { Scheduler, Worker } from './scheduler.ts'
import type { Setting } from './settings.ts'
import { simulatedModel } from './simulated-model.ts'

export type SimulatedOutcome = Outcome<JSONValue> | { status: 'already_answered' }

/** What one process has: an engine, and another program that shares its long-term memory. */
export interface SimulatedEngine {
  readonly worker: Worker
  /** The entity of rows. */
  entityOf(entity: string): string
  activate(entity: string, event: { id: string; data: Program }): Promise<SimulatedOutcome>
  submit(entity: string, event: { id: string; data: Program }): Promise<void>
  work(signal: AbortSignal): Promise<void>
  resume(entity: string, questionId: string, answer: JSONValue): Promise<SimulatedOutcome>
  abandon(entity: string, eventId: string): Promise<void>
  retry(entity: string, eventId: string, journal: 'keep' | 'drop'): Promise<SimulatedOutcome>
  sweep(): Promise<unknown>
  /** Writes a long-term record of this entity, not through the engine. */
  foreign(entity: string, key: Key, value: JSONValue): Promise<void>
}

/** Which pass of the handler it is that calls. */
interface Attempts {
  /** From here on, and in what the engine makes of the handler's result. */
  begin(attempt: Attempt): void
  current(): Attempt | undefined
}

/** The entity of an engine's rows. */
function entityOf(entity: string): string {
  return encodeTuple(['entity', entity])
}

/** What a process is started on. */
export interface Machine {
  worker: Worker
  scheduler: Scheduler
  setting: Setting
  checker: Checker
  /** Model calls so far, of all processes. */
  answers: { count: number }
  store: RowStore
  longterm: RowStore
  /** The long-term store, for the other program. */
  foreign: RowStore
  outside: Outside
  attempts: Attempts
  newId: () => string
}

/** Starts the real engine on simulated time, stores and models. */
export function startEngine(machine: Machine): SimulatedEngine {
  const { worker, scheduler, setting, checker, answers, store, longterm, foreign, outside, attempts, newId } = machine
  const wallMs = (): number => scheduler.nowMs() + worker.skewMs
  const clock = createClock({ nowMs: wallMs, newId })
  const seams: Seams = {
    clock,
    monotonicMs: () => scheduler.nowMs(),
    setTimer: (delayMs, callback) => scheduler.timer(worker, scheduler.nowMs() + delayMs, callback),
  }
  const model = simulatedModel(worker, answers, {
    scheduler,
    onCall(headers) {
      checker.callStarts(attempts.current()!, headers['x-place']!)
    },
  })

  function observe(attempt: Attempt): Observer {
    let ordinal = 0
    return {
      async ask(place, run) {
        attempt.ordinals.set(place, ++ordinal)
        try {
          const value = await run()
          attempt.seen.set(place, { value })
          return value
        } catch (error) {
          if (error instanceof Error) attempt.seen.set(place, { error: error.message })
          throw error
        }
      },
      async read(place, run) {
        const value = await run()
        attempt.seen.set(place, { value })
        attempt.reads.set(place, { value })
        return value
      },
      question(place, question) {
        attempt.questions.set(place, question)
        return question
      },
      starts: (place) => checker.callStarts(attempt, place),
      headers: (place) => ({ 'x-place': place }),
    }
  }

  async function handler(a: Activation<Program>): Promise<JSONValue> {
    const { entity, seq: s, event } = a
    const attempt: Attempt = {
      worker,
      entity: entityOf(entity),
      s,
      event,
      seen: new Map(),
      reads: new Map(),
      ordinals: new Map(),
      questions: new Map(),
    }
    attempts.begin(attempt)
    return play(a, observe(attempt), outside)
  }
  const engine = createEngineWith<Program, JSONValue>(
    {
      store,
      longterm,
      model,
      handler,
      leaseMs: setting.leaseMs,
      waitMs: setting.waitMs,
      compactor: dropOldestCompactor(),
      ...(setting.ttlMs !== undefined && { ttlMs: setting.ttlMs, onExpire: flushToLongterm() }),
    },
    { seams, count: (metric, n) => checker.counted(worker, metric, n) },
  )

  return {
    worker,
    entityOf,
    activate: (entity, event) => engine.activate({ entity, event }),
    submit: (entity, event) => engine.submit({ entity, event }),
    work: (signal) => engine.work({ signal, concurrency: 2 }),
    resume: (entity, questionId, answer) => engine.resume({ entity, questionId, answer }),
    abandon: (entity, eventId) => engine.abandon({ entity, eventId }),
    retry: (entity, eventId, journal) => engine.retry({ entity, eventId, journal }),
    sweep: () => engine.sweep(),
    async foreign(entity, key, value) {
      // Once, over what it has read: whether it is the last one does not matter here.
      const place = { entity: ownerEntity(entity), key: encodeTuple(['r', ...key]) }
      const [row] = await foreign.load([place])
      const nowMs = clock.nowMs()
      const rec = encodeEnvelope({ value: value as Storable, createdAtMs: nowMs, writeIds: [clock.newId()] })
      const guard = row === undefined ? 'absent' : { seq: row.seq }
      await foreign.write([{ ...place, seq: clock.nextSeq(row?.seq), rec, updatedAtMs: nowMs, guard }])
    },
  }
}
