import { AsyncLocalStorage } from 'node:async_hooks'
import type { JSONValue } from '@ai-sdk/provider'
import { createClock, inMemoryStore, type RowStore, type RowWrite } from '@keepsake/core'
import { rowFiles } from '@keepsake/files'
import { runBlindPuts } from './blind-puts.ts'
import type { Attempt } from './attempt.ts'
import { createChecker } from './checker.ts'
import { digest, type Choose } from './choices.ts'
import { testCipher } from './cipher.ts'
import { createClient, ENTITIES } from './client.ts'
import { startEngine, type Machine, type SimulatedEngine } from './engine-under-test.ts'
import { FILE_END, FILE_PATH, fileOwner, kindOfScan, kindsOf } from './layout.ts'
import { runErasure } from './erasure.ts'
import { randomSetting, type Kind } from './settings.ts'
import { createScheduler, START_MS, type Worker } from './scheduler.ts'
import { simulatedStore, type SharedStore } from './simulated-store.ts'
import { Violation } from './violation.ts'
import { WORKERS, type World } from './world.ts'

export interface RunOptions {
  choose: Choose
  kind: Kind
  /** Whether records are encrypted on their way to the store. */
  encrypts?: boolean | undefined
  trace?: ((line: string) => void) | undefined
}

export interface RunResult {
  violation: Violation | undefined
  steps: number
  /** How often each thing was waited for. */
  awaited: Map<string, number>
  /** How often a worker died that waited for it. */
  crashed: Map<string, number>
}

/** Writes what is there before a run. */
const FIRST = createClock({ nowMs: () => START_MS, newId: () => 'first' })

/** One run, from one seed: a random program, random faults, then quiet, redelivery and the last checks. */
export async function runSimulation({ choose, kind, encrypts = false, trace }: RunOptions): Promise<RunResult> {
  if (kind === 'puts') {
    return { violation: await runBlindPuts(choose), steps: 0, awaited: new Map(), crashed: new Map() }
  }
  if (kind === 'erasure') return runErasure({ choose, trace })
  const setting = randomSetting(choose, kind)
  const cipher = encrypts ? testCipher() : undefined
  const opened = (write: RowWrite): RowWrite => cipher?.opened(write) ?? write
  const over = (store: RowStore): RowStore => cipher?.over(store) ?? store
  const awaited = new Map<string, number>()
  const crashed = new Map<string, number>()
  const count = (map: Map<string, number>, label: string): unknown => map.set(label, (map.get(label) ?? 0) + 1)
  const engines: SimulatedEngine[] = []
  let failure: unknown
  let lives = 0

  const scheduler = createScheduler({
    choose,
    rates: setting.rates,
    trace,
    onAwait: (label) => count(awaited, label),
    onCrash(who, waitedFor) {
      for (const label of waitedFor) count(crashed, label)
      engines[who.index] = start(who.index)
      client.crashed()
    },
  })
  const checker = createChecker({
    nowMs: () => scheduler.nowMs(),
    leaseMs: setting.leaseMs,
    summarizes: setting.summarizes,
  })
  const shared = (name: string): SharedStore => ({
    name,
    rows: inMemoryStore(),
    atomicBatch: setting.atomicBatch,
    kindsOf,
    kindOfScan,
    onSent: (who, writes) => checker.sent(who, writes.map(opened), calling.getStore()),
    onApplied: (write, by) => checker.applied(opened(write), by),
    onAnswered: (who, writes, results) => checker.answered(who, writes.map(opened), results),
    onRemoved: ({ entity, key }) => checker.removed(entity, key),
  })
  const store = shared('engine')
  const longterm = setting.separateLongterm ? shared('longterm') : store
  const foreign: SharedStore = { ...longterm, onApplied: (write) => checker.appliedForeign(opened(write)) }
  const calling = new AsyncLocalStorage<Attempt>()
  const answers = { count: 0 }
  let looks = 0
  let ids = 0

  for (const entity of ENTITIES) {
    await rowFiles(over(longterm.rows), fileOwner(entity), { clock: FIRST }).write(FILE_PATH, FILE_END, {
      ifVersion: null,
    })
  }

  function start(index: number): SimulatedEngine {
    const worker: Worker = { index, id: ++lives, alive: true, skewMs: setting.skewsMs[index]! }
    const on = (where: SharedStore): RowStore =>
      over(simulatedStore(worker, { shared: where, scheduler, choose, faults: setting.storeFaults, trace }))
    const machine: Machine = {
      worker,
      scheduler,
      setting,
      checker,
      answers,
      store: on(store),
      longterm: on(longterm),
      foreign: on(foreign),
      attempts: { begin: (attempt) => calling.enterWith(attempt), current: () => calling.getStore() },
      newId: () => `id${++ids}`,
      // Another value at every look.
      outside: () =>
        new Promise<JSONValue>((resolve) => {
          const value = digest('outside', ++looks)
          const act = (): Promise<boolean> => Promise.resolve(true)
          scheduler.send({ who: worker, label: 'step', mayLandLate: false, act, answer: () => resolve(value) })
        }),
    }
    return startEngine(machine)
  }
  for (let index = 0; index < WORKERS; index++) engines.push(start(index))

  const world: World = {
    choose,
    setting,
    scheduler,
    checker,
    trace,
    engine: (index) => engines[index]!,
    begin(index, name, task) {
      scheduler.send({
        who: undefined,
        label: name,
        mayLandLate: true,
        act: () => Promise.resolve(true),
        answer() {
          trace?.(`begin ${name} on worker ${index}`)
          task(engines[index]!)
        },
      })
    },
    fail(error) {
      failure ??= error
    },
  }
  const client = createClient(world)
  scheduler.afterStep = async () => {
    await checker.settled()
    if (failure !== undefined) throw failure
  }

  let violation: Violation | undefined
  try {
    await client.live()
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    violation = error
  }
  return { violation, steps: scheduler.step, awaited, crashed }
}
