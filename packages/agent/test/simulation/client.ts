import type { JSONValue } from '@ai-sdk/provider'
import { digest } from './choices.ts'
import type { SimulatedEngine, SimulatedOutcome } from './engine-under-test.ts'
import { deadLetterKeyOf, eventKeyOf, headOf, HEAD_KEY, readRow } from './layout.ts'
import { KeepsakeError } from '@keepsake/core'
import { ANSWERERS, answerTo, randomProfile, randomProgram, type Op, type Program } from './programs.ts'
import { WORKERS, type World } from './run.ts'
import { Violation } from './violation.ts'

/** An event, and what its sender knows of it. */
interface Sent {
  readonly entity: string
  readonly event: { readonly id: string; readonly data: Program }
  readonly submitted: boolean
  /** Steps between which it was submitted. */
  from: number
  to: number
  outcome: { status: 'completed'; output: JSONValue } | { status: 'failed' } | undefined
  /** A retry is a new activation, and has no place in the order of submission. */
  retried: boolean
}

export interface Client {
  /** Sends a random program, lets it run under faults, then in quiet until all is done, and checks what is there. */
  live(): Promise<void>
}

const ENTITIES = ['first', 'second']
const MAX_ROUNDS = 14
/** Of those that were busy or failed, under faults. */
const MAX_DELIVERIES = 12

/** Those who send events, answer questions, retry, submit and read: everything outside the workers. */
export function createClient(world: World): Client {
  const { choose, scheduler, checker, setting } = world
  const events: Sent[] = []
  const working = new Map<number, AbortController>()
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
  const isDone = (sent: Sent): boolean => sent.outcome !== undefined

  function settle(sent: Sent | undefined, entity: string, outcome: SimulatedOutcome): void {
    if (outcome.status === 'completed' && sent !== undefined) completed(sent, outcome.output)
    else if (outcome.status === 'failed' && sent !== undefined) failed(sent)
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

  function failed(sent: Sent): void {
    if (sent.outcome?.status === 'completed')
      throw new Violation('I2', `${sent.event.id} failed after it had completed`)
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
          engine.abandon(entity, sent.event.id).catch((error: unknown) => guard(() => expect(error)))
        })
    }
  }

  function follow(sent: Sent | undefined, entity: string, answer: Promise<SimulatedOutcome>): void {
    answer
      .then(
        (outcome) => settle(sent, entity, outcome),
        (error: unknown) => {
          expect(error)
          if (sent !== undefined) again(sent)
        },
      )
      .catch(world.fail)
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
        (error: unknown) => guard(() => expect(error)),
      )
    })
  }

  function work(index: number): void {
    if (working.has(index)) return
    const stop = new AbortController()
    working.set(index, stop)
    world.begin(index, 'work', (engine) => {
      engine.work(stop.signal).catch((error: unknown) => guard(() => expect(error)))
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
      if (setting.kind === 'inbox') work(anyWorker())
      if (setting.kind === 'expiry') sweep(1 + choose(4))
    }
  }

  /** Sweeps so many times, one after the other, after memory has had its time or not. */
  function sweep(times: number): void {
    world.begin(anyWorker(), 'sweep', (engine) => {
      if (scheduler.faults && choose(2) === 1) scheduler.pass(2 * setting.ttlMs!)
      const again = (): void => {
        if (scheduler.faults && times > 1) sweep(times - 1)
      }
      engine.sweep().then(again, (error: unknown) => {
        guard(() => expect(error))
        again()
      })
    })
  }

  /** A program that shares the long-term memory. */
  async function disturb(engine: SimulatedEngine, entity: string): Promise<void> {
    const value = digest('foreign', scheduler.step)
    await engine
      .foreign(entity, choose(2) === 0 ? ['outside'] : ['facts', 'shared'], value)
      .catch((error: unknown) => guard(() => expect(error)))
  }

  /** Everything is delivered until it is done, with nothing in its way. */
  async function redeliver(): Promise<void> {
    for (let round = 0; events.some((sent) => !isDone(sent)); round++) {
      if (round === MAX_ROUNDS) {
        throw new Violation('I10', `never done: ${events.filter((sent) => !isDone(sent)).map(({ event }) => event.id)}`)
      }
      // Long enough for a dead worker's lease to be seen to end.
      scheduler.pass(setting.leaseMs)
      for (const sent of events.filter((each) => !isDone(each))) {
        if (sent.submitted) await finishSubmitted(sent)
        else {
          activate(sent, round % WORKERS)
          await scheduler.run()
        }
      }
    }
  }

  /** What was submitted, or may have been, is worked by a worker and by nobody else. */
  async function finishSubmitted(sent: Sent): Promise<void> {
    if (sent.to === Infinity) submit(sent, 0)
    await scheduler.run()
    work(0)
    await scheduler.run(() => outcomeOf(sent) !== undefined || isSuspended(sent.entity))
    stopWork()
    await scheduler.run()
    const outcome = outcomeOf(sent)
    if (outcome === undefined || outcome.status === 'completed') activate(sent, 1)
    else sent.outcome = outcome
    await scheduler.run()
  }

  function isSuspended(entity: string): boolean {
    const row = checker.row(engineEntity(entity), HEAD_KEY)
    return row !== undefined && headOf(row).active?.status === 'suspended'
  }

  function engineEntity(entity: string): string {
    return world.engine(0).entityOf(entity)
  }

  function outcomeOf({ entity, event }: Sent): Sent['outcome'] {
    const row = checker.row(engineEntity(entity), deadLetterKeyOf(event.id))
    const head = checker.row(engineEntity(entity), HEAD_KEY)
    const active = head && headOf(head).active
    if (active?.eventId === event.id) return undefined
    const commit = checker.chains.get(engineEntity(entity))?.find(({ eventId }) => eventId === event.id)
    if (commit !== undefined) return { status: 'completed', output: commit.output }
    return row && { status: 'failed' }
  }

  /** All working memory has had its time: it goes into long-term memory, and is wiped. */
  async function expireAll(): Promise<void> {
    for (let times = 0; times < 3; times++) {
      // Far enough for a flush that has failed to be tried again.
      scheduler.pass(10 * setting.ttlMs!)
      sweep(1)
      await scheduler.run()
    }
    for (const entity of ENTITIES) {
      const row = checker.row(engineEntity(entity), HEAD_KEY)
      if (row !== undefined && headOf(row).hasMemory) throw new Violation('I10', 'working memory did not expire')
    }
  }

  /** Two more events, so that what the first leaves is cleaned up by the second, and a third that shows all memory. */
  async function sentinels(): Promise<void> {
    for (const entity of ENTITIES) {
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

  function checkQuiet(): void {
    for (const entity of ENTITIES) {
      const stored = engineEntity(entity)
      const head = headOf(checker.row(stored, HEAD_KEY)!)
      if (head.active !== undefined) throw new Violation('I10', 'something is still active')
      const chain = checker.chains.get(stored) ?? []
      for (const sent of events.filter((each) => each.entity === entity)) {
        const times = chain.filter(({ eventId }) => eventId === sent.event.id).length
        const letterKey = deadLetterKeyOf(sent.event.id)
        const dead = checker.row(stored, letterKey) !== undefined && !checker.landedLate(stored, letterKey)
        if (sent.outcome?.status === 'completed' && times !== 1) {
          throw new Violation('I2', `${sent.event.id} was acknowledged, and is on the chain ${times} times`)
        }
        if (sent.outcome?.status === 'failed' && times > 0)
          throw new Violation('I2', `${sent.event.id} failed and is committed`)
        if (times > 0 && dead) throw new Violation('I2', `${sent.event.id} is committed and a dead letter`)
        const isLast = head.committed?.eventId === sent.event.id
        if (times > 0 && !isLast && checker.row(stored, eventKeyOf(sent.event.id)) === undefined) {
          throw new Violation('I2', `${sent.event.id} is committed and its event row is missing`)
        }
      }
      checkLeftovers(stored)
      checkOrder(entity)
    }
  }

  function checkLeftovers(stored: string): void {
    const chain = checker.chains.get(stored) ?? []
    const places = new Set(chain.map(({ s, ep }) => `${s} ${ep}`))
    const last = chain.at(-1)!.s
    const seen = new Set<string>()
    for (const row of checker.rowsOf(stored).values()) {
      const view = readRow(row)
      if (view.kind === 'c' && 'plan' in view) {
        if (!places.has(`${view.s} ${view.ep}`)) {
          if (checker.landedLate(stored, row.key)) continue
          throw new Violation('I7', 'a commit off the chain is left')
        }
        seen.add(`${view.s} ${view.ep}`)
        for (const planned of view.plan) {
          const there = checker.row(planned.entity, planned.key)
          if (there === undefined || there.seq < planned.seq) throw new Violation('I3', 'a planned row is not stored')
        }
      }
      if (view.kind === 'j' && 'place' in view && view.s < last) throw new Violation('I7', 'an old journal is left')
      if (view.kind === 'in') throw new Violation('I10', 'a submitted event is left in the inbox')
    }
    if (seen.size !== places.size) throw new Violation('I7', 'a commit of the chain was removed')
  }

  /** Of two submits, of which one returned before the other began, the first is claimed first. */
  function checkOrder(entity: string): void {
    const chain = checker.chains.get(engineEntity(entity)) ?? []
    const place = ({ event }: Sent): number => chain.findIndex(({ eventId }) => eventId === event.id)
    const submitted = events.filter(
      (each) => each.entity === entity && each.submitted && !each.retried && place(each) >= 0,
    )
    for (const a of submitted) {
      for (const b of submitted) {
        if (a.to < b.from && place(a) > place(b)) {
          throw new Violation('I10', `${b.event.id} was submitted after ${a.event.id} and committed before`)
        }
      }
    }
  }

  return {
    async live() {
      randomLife()
      await scheduler.run(() => scheduler.step > 5000 || (working.size > 0 && scheduler.step > 400))
      scheduler.faults = false
      stopWork()
      await scheduler.run()
      await redeliver()
      if (setting.kind === 'expiry') await expireAll()
      await sentinels()
      checkQuiet()
    },
  }
}

/** Throws what a caller need not expect of an engine, not even of one whose store fails. */
function expect(error: unknown): void {
  if (!KeepsakeError.isInstance(error)) throw error
  // What is retried or abandoned may have been done meanwhile.
  if (error.retryable || error.code === 'conflict' || error.message.startsWith('There is no dead letter')) return
  throw new Violation('error', `${error.code}: ${error.message}`)
}
