import type { JSONValue } from '@ai-sdk/provider'
import { digest } from './choices.ts'
import type { SimulatedEngine, SimulatedOutcome } from './engine-under-test.ts'
import { deadLetterKeyOf, headKeyOf, headOf } from './layout.ts'
import type { Row } from '@keepsake/core'
import { ANSWERERS, answerTo, randomProfile, randomProgram, type Op, type Program } from './programs.ts'
import { threadReader } from './thread-reader.ts'
import { expectError } from './expect-error.ts'
import { checkQuiet, type Sent } from './quiet.ts'
import { Violation } from './violation.ts'
import { WORKERS, type World } from './world.ts'

export interface Client {
  /** Sends a random program, lets it run under faults, then in quiet until all is done, and checks what is there. */
  live(): Promise<void>
  /** A worker has died, and whoever waited for it may deliver again. */
  crashed(): void
}

export const ENTITIES: readonly string[] = ['first', 'second']
const MAX_ROUNDS = 14
const MAX_WORK_STEPS = 1200
/** Of those that were busy or failed, under faults. */
const MAX_DELIVERIES = 12

/** Those who send events, answer questions, retry, submit and read: everything outside the workers. */
export function createClient(world: World): Client {
  const { choose, scheduler, checker, setting } = world
  const events: Sent[] = []
  const working = new Map<number, AbortController>()
  const reader = threadReader(world)
  let retries = 0
  let deliveries = 0

  /** For what the engine calls back: it must not see a violation. */
  function guard(check: () => void): void {
    try {
      check()
    } catch (error) {
      world.fail(error)
    }
  }

  const anyWorker = (): number => choose(WORKERS)
  const isWorked = (sent: Sent): boolean => outcomeOf(sent) !== undefined && sent.to < Infinity
  const isDone = (sent: Sent): boolean => sent.outcome !== undefined

  function settle(sent: Sent | undefined, entity: string, outcome: SimulatedOutcome, wasDone: boolean): void {
    if (outcome.status === 'completed' && sent !== undefined) completed(sent, outcome.output)
    else if (outcome.status === 'failed' && sent !== undefined) failed(sent, wasDone)
    else if (outcome.status === 'suspended') suspended(entity, outcome)
    else if (outcome.status === 'busy' && sent !== undefined) again(sent)
  }

  function completed(sent: Sent, output: JSONValue): void {
    const before = sent.outcome
    if (before?.status === 'completed' && JSON.stringify(before.output) !== JSON.stringify(output)) {
      throw new Violation('I2', `the result of ${sent.event.id} changed`)
    }
    const commit = checker.chains.get(engineEntity(sent.entity))?.find(({ eventId }) => eventId === sent.event.id)
    if (commit === undefined) throw new Violation('I5', `${sent.event.id} was acknowledged and is not committed`)
    if (JSON.stringify(commit.output) !== JSON.stringify(output)) {
      throw new Violation('I5', `${sent.event.id} was acknowledged with another result than its commit's`)
    }
    sent.outcome = { status: 'completed', output }
  }

  /** `wasDone`: the event had completed when this delivery began. */
  function failed(sent: Sent, wasDone: boolean): void {
    if (sent.outcome?.status === 'completed') {
      // A delivery that is answered late tells of the failure before the retry.
      if (sent.retried && !wasDone) return
      throw new Violation('I2', `${sent.event.id} failed after it had completed`)
    }
    sent.outcome = { status: 'failed' }
    if (scheduler.faults && retries < 2 && choose(3) === 2) {
      retries++
      retry(sent)
    }
  }

  function retry(sent: Sent): void {
    const journal = choose(2) === 0 ? ('keep' as const) : ('drop' as const)
    sent.outcome = undefined
    sent.retried = true
    world.begin(anyWorker(), `retry of ${sent.event.id}`, (engine) =>
      follow(sent, sent.entity, engine.retry(sent.entity, sent.event.id, journal)),
    )
  }

  function again(sent: Sent): void {
    if (scheduler.faults && choose(3) > 0 && deliveries++ < MAX_DELIVERIES) activate(sent)
  }

  /** Answers at once, or several times with different answers: only one may count. */
  function suspended(entity: string, { questionId, question }: { questionId: string; question: JSONValue }): void {
    const times = scheduler.faults ? choose(ANSWERERS) : 1
    for (let i = 0; i < times; i++) {
      world.begin(anyWorker(), 'answer', (engine) =>
        follow(undefined, entity, engine.resume(entity, questionId, answerTo(question, i))),
      )
    }
    if (scheduler.faults && choose(12) === 11) {
      const sent = events.find((each) => each.entity === entity && !isDone(each))
      if (sent !== undefined)
        world.begin(anyWorker(), 'abandon', (engine) => {
          engine.abandon(entity, sent.event.id).catch((error: unknown) => guard(() => expectError(error)))
        })
    }
  }

  function follow(sent: Sent | undefined, entity: string, answer: Promise<SimulatedOutcome>): void {
    const wasDone = sent?.outcome?.status === 'completed'
    answer
      .then(
        (outcome) => settle(sent, entity, outcome, wasDone),
        (error: unknown) => {
          expectError(error)
          if (sent !== undefined) again(sent)
        },
      )
      .catch((error: unknown) => world.fail(error))
  }

  function activate(sent: Sent, index = anyWorker()): void {
    world.begin(index, `activate ${sent.event.id} of ${sent.entity}`, (engine) =>
      follow(sent, sent.entity, engine.activate(sent.entity, sent.event)),
    )
  }

  function submit(sent: Sent, index = anyWorker()): void {
    world.begin(index, `submit ${sent.event.id} to ${sent.entity}`, (engine) => {
      sent.from = Math.min(sent.from, scheduler.step)
      engine.submit(sent.entity, sent.event).then(
        () => {
          sent.to = Math.min(sent.to, scheduler.step)
        },
        (error: unknown) => guard(() => expectError(error)),
      )
    })
  }

  function work(index: number): void {
    if (working.has(index)) return
    const stop = new AbortController()
    working.set(index, stop)
    world.begin(index, 'work', (engine) => {
      engine.work(stop.signal).catch((error: unknown) => guard(() => expectError(error)))
    })
  }

  function stopWork(): void {
    for (const stop of working.values()) stop.abort()
    working.clear()
  }

  function send(entity: string, id: string, data: Program, submitted: boolean): Sent {
    const sent: Sent = {
      entity,
      event: { id, data },
      submitted,
      from: Infinity,
      to: Infinity,
      outcome: undefined,
      retried: false,
    }
    events.push(sent)
    return sent
  }

  function randomLife(): void {
    const profile: readonly Op[] = setting.compaction
      ? ['fill', 'fill', 'count', 'ring', 'call']
      : randomProfile(choose)
    const count = 2 + choose(3)
    for (let i = 0; i < count; i++) {
      const entity = ENTITIES[choose(3) === 2 ? 1 : 0]!
      const submitted = setting.kind === 'inbox' && choose(3) < 2
      const sent = send(entity, `e${i}`, randomProgram(choose, profile), submitted)
      world.trace?.(`${entity} ${sent.event.id} ${submitted ? 'submitted ' : ''}${sent.event.data.ops.join(' ')}`)
      if (submitted) {
        submit(sent)
        if (choose(5) === 4) submit(sent)
      } else {
        for (let times = 1 + (choose(3) === 2 ? 1 + choose(2) : 0); times > 0; times--) activate(sent)
      }
      if (choose(3) === 2) world.begin(anyWorker(), 'another program writes', (engine) => void disturb(engine, entity))
      if (setting.speaks) reader.readLater(entity, 1 + choose(6))
      if (setting.kind === 'inbox') work(anyWorker())
      if (setting.kind === 'expiry') sweep(1 + choose(4))
    }
  }

  /** Sweeps so many times, one after the other, after memory has had its time or not. */
  function sweep(times: number): void {
    world.begin(anyWorker(), 'sweep', (engine) => {
      if (scheduler.faults && choose(2) === 1) scheduler.pass(2 * setting.ttlMs!)
      const next = (): void => {
        if (scheduler.faults && times > 1) sweep(times - 1)
      }
      engine.sweep().then(next, (error: unknown) => {
        guard(() => expectError(error))
        next()
      })
    })
  }

  /** A program that shares the long-term memory. */
  async function disturb(engine: SimulatedEngine, entity: string): Promise<void> {
    const value = digest('foreign', scheduler.step)
    await engine
      .foreign(entity, choose(2) === 0 ? ['outside'] : ['facts', 'shared'], value)
      .catch((error: unknown) => guard(() => expectError(error)))
  }

  /** Everything is delivered until it is done, with nothing in its way. */
  async function redeliver(): Promise<void> {
    for (let round = 0; events.some((sent) => !isDone(sent)); round++) {
      if (round === MAX_ROUNDS) {
        throw new Violation(
          'I10',
          `never done: ${events
            .filter((sent) => !isDone(sent))
            .map(({ event }) => event.id)
            .join(', ')}`,
        )
      }
      // Long enough for a dead worker's lease to be seen to end.
      scheduler.pass(setting.leaseMs)
      const left = events.filter((each) => !isDone(each))
      await finishSubmitted(left.filter(({ submitted }) => submitted))
      for (const sent of left.filter(({ submitted }) => !submitted)) {
        activate(sent, round % WORKERS)
        await scheduler.run()
      }
    }
  }

  /** What was submitted, or may have been, is worked by a worker; delivered again, it is found done. */
  async function finishSubmitted(left: readonly Sent[]): Promise<void> {
    if (left.length === 0) return
    for (const sent of left) if (sent.to === Infinity) submit(sent, 0)
    await scheduler.run()
    work(0)
    await scheduler.run(() => left.every((sent) => outcomeOf(sent) !== undefined || isSuspended(sent.entity)))
    stopWork()
    await scheduler.run()
    for (const sent of left) {
      const outcome = outcomeOf(sent)
      if (outcome?.status === 'failed') sent.outcome = outcome
      // One that is not done is only asked for the question that holds it up: worked past the inbox it would overtake.
      else if (outcome?.status === 'completed' || isSuspended(sent.entity)) activate(sent, 1)
      await scheduler.run()
    }
  }

  function isSuspended(entity: string): boolean {
    const row = headRow(entity)
    return row !== undefined && headOf(row).active?.status === 'suspended'
  }

  function engineEntity(entity: string): string {
    return world.engine(0).entityOf(entity)
  }

  function headRow(entity: string): Row | undefined {
    const stored = engineEntity(entity)
    return checker.row(stored, headKeyOf(stored))
  }

  function outcomeOf({ entity, event }: Sent): Sent['outcome'] {
    const row = checker.row(engineEntity(entity), deadLetterKeyOf(event.id))
    const head = headRow(entity)
    const active = head && headOf(head).active
    if (active?.eventId === event.id) return undefined
    const commit = checker.chains.get(engineEntity(entity))?.find(({ eventId }) => eventId === event.id)
    if (commit !== undefined) return { status: 'completed', output: commit.output }
    return row && { status: 'failed' }
  }

  /** All working memory has had its time: it goes into long-term memory, and is wiped. */
  async function expireAll(): Promise<void> {
    for (let times = 0; times < 2; times++) {
      // Far enough for a flush that has failed to be tried again.
      scheduler.pass(10 * setting.ttlMs!)
      sweep(1)
      await scheduler.run()
    }
    for (const entity of ENTITIES) {
      const row = headRow(entity)
      if (row !== undefined && headOf(row).hasMemory) throw new Violation('I10', 'working memory did not expire')
    }
  }

  /** Two more events, so that what the first leaves is cleaned up by the second, and a third that shows all memory. */
  async function sentinels(): Promise<void> {
    for (const entity of new Set(events.map((sent) => sent.entity))) {
      for (const [id, op] of [
        ['z1', 'call'],
        ['z2', 'call'],
        ['z3', 'dump'],
      ] as const) {
        const sent = send(entity, id, { ops: [op] }, setting.kind === 'inbox' && op === 'call')
        if (sent.submitted) submit(sent, 0)
        await scheduler.run()
      }
    }
    await redeliver()
  }

  return {
    crashed() {
      for (const sent of events) if (!sent.submitted && !isDone(sent) && choose(2) === 1) activate(sent)
    },

    async live() {
      randomLife()
      // Workers never end by themselves; everything else does. What is over they still have to remove.
      const moreSteps = choose(4) * 60
      let overAt = Infinity
      await scheduler.run(() => {
        if (overAt === Infinity && events.every(isWorked)) overAt = scheduler.step
        return working.size > 0 && scheduler.step >= Math.min(MAX_WORK_STEPS, overAt + moreSteps)
      })
      scheduler.faults = false
      stopWork()
      await scheduler.run()
      // That it had failed may be the answer to a delivery before the retry.
      for (const sent of events) if (sent.retried && sent.outcome?.status === 'failed') sent.outcome = undefined
      await redeliver()
      if (setting.kind === 'expiry') await expireAll()
      await sentinels()
      if (setting.speaks) for (const entity of new Set(events.map((sent) => sent.entity))) reader.read(entity)
      await scheduler.run()
      checkQuiet(checker, events, engineEntity)
    },
  }
}
