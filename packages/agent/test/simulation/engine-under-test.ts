import type { JSONValue } from '@ai-sdk/provider'
import {
  chatMemory,
  createClock,
  decodeEnvelope,
  encodeEnvelope,
  encodeTuple,
  KeepsakeError,
  ownerEntity,
  threadTurns,
  type Key,
  type Message,
  type RowStore,
  type Storable,
} from '@keepsake/core'
import { rowFiles } from '@keepsake/files'
import type { Activation, Outcome } from '../../src/engine/activation.ts'
import { createEngineWith } from '../../src/engine/create-engine-with.ts'
import { flushToLongterm } from '../../src/engine/expiry/flush-to-longterm.ts'
import { dropOldestCompactor } from '../../src/engine/memory/compactor.ts'
import { summarizeCompactor } from '../../src/engine/memory/summarize-compactor.ts'
import type { InnerActivation } from '../../src/engine/run/handler-context.ts'
import type { Seams } from '../../src/engine/seams.ts'
import type { Attempt } from './attempt.ts'
import type { Checker } from './checker.ts'
import { digest } from './choices.ts'
import { FILE_END, FILE_PATH, fileOwner, placeText } from './layout.ts'
import { play, type Calls, type MemoryFile, type Observer, type Outside, type Program } from './programs.ts'
import { KEPT_ITEMS, SUMMARIZED } from './reference.ts'
import type { Scheduler, Worker } from './scheduler.ts'
import type { Setting } from './settings.ts'
import { answerText, request, simulatedModel } from './simulated-model.ts'

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
  /** The texts of the thread's newest messages. */
  read(entity: string, last: number): Promise<string[]>
  /** Writes a long-term record of this entity, not through the engine. */
  foreign(entity: string, key: Key, value: JSONValue): Promise<void>
}

/** Which pass of the handler it is that calls. */
interface Attempts {
  /** From here on, and in what the engine makes of the handler's result. */
  begin(attempt: Attempt): void
  current(): Attempt | undefined
}

/** What an event adds to its thread. */
export function saidBy(eventId: string, output: JSONValue): string {
  return `${eventId} ${(output as { sum: number }).sum}`
}

/** Asks until there is an answer. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!KeepsakeError.isInstance(error) || !error.retryable) throw error
    }
  }
}

const OUTSIDE_KEY = encodeTuple(['r', 'outside'])

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
  const kind = setting.speaks ? 'thread' : 'entity'
  const entityOf = (entity: string): string => encodeTuple([kind, entity])
  const turns = threadTurns(store, clock)
  const chat = chatMemory(store, { clock })
  const model = simulatedModel(worker, answers, {
    scheduler,
    onCall(headers) {
      checker.callStarts(attempts.current()!, headers['x-place']!)
    },
  })

  function observe(attempt: Attempt, scope = ''): Observer {
    let ordinal = 0
    /** Whether something was read since the last place: then it has one of its own before scopes are opened. */
    let readSince = false
    const take = (): string => {
      readSince = false
      ordinal++
      if (scope === '') attempt.taken = ordinal
      return placeText(scope, ordinal)
    }
    return {
      async ask(place, run) {
        attempt.ordinals.set(place, take())
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
        readSince = true
        attempt.readIn.set(place, scope)
        const value = await run()
        attempt.seen.set(place, { value })
        attempt.reads.set(place, { value })
        return value
      },
      scope(name, run) {
        if (readSince) take()
        return run(observe(attempt, scope + encodeTuple([name])))
      },
      question(place, question) {
        attempt.questions.set(place, question)
        return question
      },
      starts: (place) => checker.callStarts(attempt, place),
      headers: (place) => ({ 'x-place': place }),
    }
  }

  /** Beside the program's own calls, and after them: it is told where by its request, and seen by its answer. */
  const summarizer = summarizeCompactor({
    sourceKeys: SUMMARIZED.map((path) => [path]),
    summaryKey: ['summary'],
    keepRecent: KEPT_ITEMS,
    triggerBytes: 0,
    buildRequest(items, prior) {
      const attempt = attempts.current()!
      attempt.ordinals.set('summary', placeText('', ++attempt.taken))
      return request(`${digest(items, prior)}`, { 'x-place': 'summary' })
    },
    extractSummary(answer) {
      const summary = answerText(answer)
      attempts.current()!.seen.set('summary', { value: summary })
      return summary
    },
  })

  async function handler(a: Activation, inner: InnerActivation): Promise<JSONValue> {
    const { entity, seq: s, event } = a
    const files = rowFiles(longterm, fileOwner(entity), { clock })
    const file: MemoryFile = {
      async read() {
        const read = await files.read(FILE_PATH)
        return read.ok ? read.value.content : read.code
      },
      // Repeated until it is answered: its name makes one edit of all attempts.
      async add(line, opId) {
        const edited = await untilAnswered(() => files.edit(FILE_PATH, FILE_END, `${line}\n${FILE_END}`, { opId }))
        return edited.ok
      },
    }
    async function peek(): Promise<JSONValue> {
      const [row] = await longterm.load([{ entity: ownerEntity(entity), key: OUTSIDE_KEY }])
      return row === undefined ? 0 : (decodeEnvelope(row.rec).value as JSONValue)
    }
    const attempt: Attempt = {
      worker,
      entity: entityOf(entity),
      s,
      event,
      seen: new Map(),
      reads: new Map(),
      readIn: new Map(),
      ordinals: new Map(),
      taken: 0,
      questions: new Map(),
    }
    attempts.begin(attempt)
    const read = setting.speaks ? await untilAnswered(() => turns.read(entity, {})) : undefined
    const { memory, longterm: records } = a
    const context = { ...(inner as unknown as Calls), event, memory, longterm: records, file, peek }
    const output = await play(context, observe(attempt), outside)
    if (read !== undefined) {
      const messages: Message[] = [{ role: 'assistant', content: saidBy(event.id, output) }]
      inner.say(async (mark) => {
        const draft = { threadId: entity, messages, read, owner: undefined, subject: undefined }
        return (await turns.place(draft, mark)).row
      })
    }
    return output
  }
  const engine = createEngineWith<Program, JSONValue>(
    {
      store,
      longterm,
      model,
      // Ours has a second argument.
      handler: () => Promise.reject(new Error('not used')),
      leaseMs: setting.leaseMs,
      waitMs: setting.waitMs,
      compactor: dropOldestCompactor(),
      ...(setting.summarizes && { summarizer }),
      ...(setting.ttlMs !== undefined && { ttlMs: setting.ttlMs, onExpire: flushToLongterm() }),
    },
    { seams, handler, kind, count: (metric, n) => checker.counted(worker, metric, n) },
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
    async read(entity, last) {
      const messages = await chat.messages(entity, { last })
      return messages.map(({ content }) => content as string)
    },
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
