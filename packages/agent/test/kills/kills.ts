import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeTuple, records, walkEntities, type RowStore } from '@keepsake/core'
import { handle, LEASE_MS, notedModel, SHOW, type Answers, type Memory, type ModelCall } from './programs/handler.ts'
import { createEngine, type Engine } from '../../src/engine/engine.ts'
import { openStore, type StorePlace } from '@keepsake/test-stores/open-store'
import { startProgram, type Program } from './start-program.ts'

export interface KillsOptions {
  place: StorePlace
  /** A file for model calls. */
  file: string
  kills: number
  /** Events that arrive for each kill. */
  eventsPerKill: number
  entities: readonly string[]
}

export interface Submitted {
  entity: string
  id: string
  n: number
}

export interface Afterwards {
  /** What a repeated delivery of each event is answered with. */
  acknowledged: Map<string, Answers>
  /** What each entity remembers. */
  memories: Map<string, Memory>
  /** The long-term record of each event. */
  longterm: Map<string, Answers | undefined>
  /** Model calls in the order in which they were made. */
  calls: ModelCall[]
}

type TestEngine = Engine<{ n: number }, Answers | Memory>

/** Events arrive and are worked by one process after the other, each of which is killed at a random moment. */
export async function runKills(options: KillsOptions): Promise<{ submitted: Submitted[] } & Afterwards> {
  const { place, file, kills, eventsPerKill, entities } = options
  await using store = await openStore(place)
  await using engine = testEngine(store, file)
  const submitted: Submitted[] = []

  // The next workers get ready while one works.
  const start = (): Program => startProgram('worker', JSON.stringify(place), file)
  const ready = [start(), start(), start()]
  for (let kill = 0; kill < kills; kill++) {
    const worker = ready.shift()!
    ready.push(start())
    await begin(worker)
    const killed = someTime(worker).then(() => worker.signal('SIGKILL'))
    for (let i = 0; i < eventsPerKill; i++) submitted.push(await submitNext(engine, submitted.length, entities))
    await killed
    await worker.ended()
  }
  await using last = ready[0]!
  await using second = ready[1]!
  await using third = ready[2]!
  await begin(last)
  await Promise.all([second.line(), third.line()])
  return { submitted, ...(await lookBack(store, engine, file, submitted)) }
}

export function testEngine(store: RowStore, file: string): TestEngine {
  return createEngine<{ n: number }, Answers | Memory>({
    store,
    longterm: store,
    handler: handle,
    model: notedModel(file),
    leaseMs: LEASE_MS,
    waitMs: 2000,
  })
}

/** A worker's life: some model calls and some milliseconds, or what it takes to find nothing to do. */
const MAX_CALLS = 6
const MAX_MS_AFTER = 10
const MAX_MS_WITHOUT = 1000

async function someTime(worker: Program): Promise<void> {
  const calls = 1 + Math.floor(Math.random() * MAX_CALLS)
  const called = (async () => {
    for (let i = 0; i < calls; i++) await worker.line()
  })()
  // It is killed while its next line is waited for.
  called.catch(() => {})
  await Promise.race([called, sleep(MAX_MS_WITHOUT)])
  await sleep(Math.random() * MAX_MS_AFTER)
}

/** Lets a worker work, as soon as it is ready. */
export async function begin(worker: Program): Promise<void> {
  await worker.line()
  worker.say('go')
  await worker.line()
}

export async function submitNext(engine: TestEngine, n: number, entities: readonly string[]): Promise<Submitted> {
  const event = { entity: entities[n % entities.length]!, id: `event ${n}`, n }
  await engine.submit({ entity: event.entity, event: { id: event.id, data: { n } } })
  return event
}

/** Waits until the workers have nothing left to do, and reads all that is left of the events. */
export async function lookBack(
  store: RowStore,
  engine: TestEngine,
  file: string,
  submitted: readonly Submitted[],
): Promise<Afterwards> {
  while (await hasWork(store)) await sleep(20)
  const acknowledged = new Map<string, Answers>()
  for (const { entity, id, n } of submitted) {
    acknowledged.set(id, (await completed(engine, entity, id, n)) as Answers)
  }
  const memories = new Map<string, Memory>()
  for (const entity of new Set(submitted.map((event) => event.entity))) {
    memories.set(entity, (await completed(engine, entity, 'show', SHOW)) as Memory)
  }
  const longterm = new Map<string, Answers | undefined>()
  for (const { entity, id } of submitted) {
    longterm.set(id, (await records<{ answers: string[] }>(store, entity).get(['events', id]))?.value)
  }
  return { acknowledged, memories, longterm, calls: readCalls(file) }
}

/** Whether a submitted event is listed as not done. */
async function hasWork(store: RowStore): Promise<boolean> {
  for await (const entity of walkEntities(store, { prefix: encodeTuple(['work']) })) {
    if ((await store.scan(entity, { prefix: encodeTuple(['q']), limit: 1 })).length > 0) return true
  }
  return false
}

async function completed(engine: TestEngine, entity: string, id: string, n: number): Promise<Answers | Memory> {
  for (;;) {
    const outcome = await engine.activate({ entity, event: { id, data: { n } } })
    if (outcome.status === 'completed') return outcome.output
    if (outcome.status !== 'busy') throw new Error(`${id} of ${entity} is ${outcome.status}`)
  }
}

/** A line that was being written when its writer was killed is not there. */
function readCalls(file: string): ModelCall[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line) as ModelCall)
}
