import {
  chatMemory,
  createClock,
  encodeTuple,
  eraseSubject,
  inMemoryStore,
  KeepsakeError,
  records,
  type Row,
  type RowStore,
} from '@keepsake/core'
import { createEngineWith } from '../../src/engine/create-engine-with.ts'
import { kindOfScan, kindsOf } from './layout.ts'
import type { RunOptions, RunResult } from './run.ts'
import { createScheduler, type Worker } from './scheduler.ts'
import { randomSetting } from './settings.ts'
import { answerText, request, simulatedModel } from './simulated-model.ts'
import { simulatedStore, type SharedStore } from './simulated-store.ts'
import { Violation } from './violation.ts'

/** Workers, and behind them the process that erases. */
const WORKERS = 3
const ERASER = WORKERS
/** Told from every other wait: what had begun before it has ended after it, however slow. */
export const GRACE_MS = 77_777
const PERSON = 'zoe'
const OTHER = 'bob'

interface Process {
  worker: Worker
  store: RowStore
  act(this: void, kind: number, n: number): Promise<unknown>
}

/** Something that a worker has begun. */
interface Operation {
  who: Worker
  ended: boolean
}

/**
 * A person is erased beside workers that write for them, and for another, under all faults of the simulation; whoever dies
 * is started again, the eraser too. Nobody is slower than the grace: it ends when all that had begun before it has ended or
 * landed. Nothing new begins once it is waited for the first time: what is written after an erasure is new data. In the end
 * no row of the person may be there, and all that was acknowledged to the other.
 */
export async function runErasure({ choose, trace }: Pick<RunOptions, 'choose' | 'trace'>): Promise<RunResult> {
  const setting = randomSetting(choose, 'activate')
  const awaited = new Map<string, number>()
  const crashed = new Map<string, number>()
  const count = (map: Map<string, number>, label: string): unknown => map.set(label, (map.get(label) ?? 0) + 1)
  const processes: Process[] = []
  const operations = new Set<Operation>()
  const graces: { step: number; open: readonly Operation[]; over: () => void }[] = []
  const kept = new Set<string>()
  const answers = { count: 0 }
  let [lives, ids] = [0, 0]
  const writers = { areOpen: true }
  let erased = false
  let failure: unknown

  const scheduler = createScheduler({
    choose,
    rates: setting.rates,
    trace,
    onAwait: (label) => count(awaited, label),
    onCrash(who, waitedFor) {
      for (const label of waitedFor) count(crashed, label)
      processes[who.index] = start(who.index)
      if (who.index === ERASER) erase()
    },
  })
  const shared: SharedStore = {
    name: 'rows',
    rows: inMemoryStore(),
    atomicBatch: setting.atomicBatch,
    kindsOf,
    kindOfScan,
    onApplied: () => {},
    onRemoved: () => {},
  }

  function start(index: number): Process {
    const worker: Worker = { index, id: ++lives, alive: true, skewMs: setting.skewsMs[index] ?? 0 }
    const store = simulatedStore(worker, { shared, scheduler, choose, faults: setting.storeFaults, trace })
    const clock = createClock({ nowMs: () => scheduler.nowMs() + worker.skewMs, newId: () => `id${++ids}` })
    const engine = createEngineWith<string, string>(
      {
        store,
        longterm: store,
        model: simulatedModel(worker, answers, { scheduler, onCall: () => {} }),
        handler: () => Promise.reject(new Error('not used')),
        leaseMs: setting.leaseMs,
        waitMs: setting.waitMs,
        subject: ({ data }) => data.split(' ')[0]!,
      },
      {
        seams: {
          clock,
          monotonicMs: () => scheduler.nowMs(),
          setTimer: (delayMs, callback) => scheduler.timer(worker, scheduler.nowMs() + delayMs, callback),
        },
        async handler(a) {
          await a.memory.append(['log'], `${a.event.data} was here`)
          const said = answerText(await a.callModel(request(a.event.data, {})))
          await a.longterm.put(['facts', a.event.id], `${a.event.data}: ${said}`)
          return `to ${a.event.data}`
        },
        kind: 'entity',
        count: () => {},
      },
    )
    const chat = chatMemory(store, { clock })
    const say = (owner: string, n: number) => [{ role: 'user' as const, content: `${owner} says ${n}` }]
    return {
      worker,
      store,
      act(what, n) {
        const owner = what % 4 === 3 ? OTHER : PERSON
        const event = { id: `e${n}`, data: `${owner} ${n}` }
        // Not called like the person: the directory of who is called like an entity is not the person's.
        const run = owner === PERSON ? 'run-1' : 'run-2'
        switch (what >> 2) {
          case 0:
            return records(store, owner, { clock }).put(['k', String(n % 3)], `${owner} likes ${n}`)
          case 1:
            return chat.append(`${owner}-thread-${n % 2}`, say(owner, n), { owner, opId: `op${n}` })
          case 2:
            return engine.activate({ entity: run, event })
          case 3:
            return engine.submit({ entity: run, event })
          default:
            // In what is the other's.
            return chat.append('shared', say(owner, n), { owner: OTHER, subject: owner, opId: `op${n}` })
        }
      },
    }
  }

  /** What a worker does next. Of what the other was told to be stored, all has to be there in the end. */
  function begin(n: number): void {
    const { worker, act } = processes[choose(WORKERS)]!
    const operation: Operation = { who: worker, ended: false }
    const what = choose(20)
    operations.add(operation)
    trace?.(`begin ${what}, ${n} on worker ${worker.index}`)
    act(what, n)
      .then(
        () => {
          if (what % 4 === 3 && what >> 2 === 1) kept.add(`${OTHER} says ${n}`)
        },
        (error: unknown) => {
          if (!KeepsakeError.isInstance(error) || !(error.retryable || error.code === 'conflict')) failure ??= error
        },
      )
      .finally(() => {
        operation.ended = true
      })
  }

  function erase(): void {
    const { store, worker } = processes[ERASER]!
    const clock = createClock({ nowMs: () => scheduler.nowMs(), newId: () => `erasure${++ids}` })
    void (async () => {
      for (let done = false; !done && worker.alive;) {
        try {
          await eraseSubject(store, PERSON, { graceMs: GRACE_MS, clock })
          done = true
        } catch (error) {
          if (!KeepsakeError.isInstance(error) || !error.retryable) failure ??= error
        }
      }
      if (worker.alive) erased = true
    })()
  }

  /** Waiting for the grace, as `simulate.ts` has it in the place of a timer. */
  waiting.current = (over) => {
    writers.areOpen = false
    graces.push({ step: scheduler.step, open: [...operations].filter(({ ended }) => !ended), over })
  }
  scheduler.afterStep = async () => {
    if (failure !== undefined) throw failure
    for (const grace of graces.splice(0)) {
      const isOver = scheduler.waitedSince > grace.step && grace.open.every(({ ended, who }) => ended || !who.alive)
      if (isOver) grace.over()
      else graces.push(grace)
    }
  }

  let violation: Violation | undefined
  try {
    for (let index = 0; index <= ERASER; index++) processes.push(start(index))
    const total = 6 + choose(10)
    const erasesAt = choose(total)
    for (let n = 0; n < total && writers.areOpen; n++) {
      begin(n)
      if (n === erasesAt) erase()
      const until = scheduler.step + choose(60)
      await scheduler.run(() => scheduler.step >= until)
    }
    await scheduler.run(() => erased, 30_000)
    scheduler.faults = false
    await scheduler.run(undefined, 30_000)
    if (!erased) throw new Violation('I8', 'the erasure did not end')
    await check(shared.rows, kept)
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    violation = error
  } finally {
    waiting.current = undefined
  }
  return { violation, steps: scheduler.step, awaited, crashed }
}

/** Who waits for the grace of an erasure. */
export const waiting: { current: ((over: () => void) => void) | undefined } = { current: undefined }

async function check(rows: RowStore, kept: ReadonlySet<string>): Promise<void> {
  const texts: string[] = []
  for (const entity of await rows.entities({ limit: 1000 })) {
    for (const row of await rows.scan(entity, { limit: 10_000 })) {
      const text = textOf(row)
      texts.push(text)
      if (text.includes(PERSON)) throw new Violation('I8', `a row of the person is left: ${printable(row)}`)
    }
  }
  for (const text of kept) {
    if (!texts.some((one) => one.includes(text))) throw new Violation('I8', `what the other was told is lost: ${text}`)
  }
}

const textOf = ({ entity, key, rec }: Row): string => `${entity} ${key} ${Buffer.from(rec).toString('latin1')}`
const printable = ({ entity, key }: Row): string => `${entity}${key}`.replaceAll(encodeTuple(['']), '/')
