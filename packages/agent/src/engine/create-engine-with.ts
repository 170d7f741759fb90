import { checkSchema, encodeEnvelope, KeepsakeError, normalise, type RowStore, type Storable } from '@keepsake/core'
import { refuse } from '../options/refuse.ts'
import { abandon, resume } from './resume.ts'
import { activate } from './activate.ts'
import { checkEngineOptions, type CheckedOptions, type Metric } from './check-engine-options.ts'
import { deadLetters } from './dead-letters.ts'
import type { Engine, EngineEvent, EngineOptions } from './engine.ts'
import { checkName, checkNamesOfEvent, rowEntity } from './entity.ts'
import { sweep } from './expiry/sweep.ts'
import type { Ground } from './ground.ts'
import { checkEventSize, submit } from './inbox/submit.ts'
import { workUntil } from './inbox/work.ts'
import { openLongterm } from './open-longterm.ts'
import { retry } from './retry.ts'
import { sleep, systemSeams, type Seams } from './seams.ts'

/** What tests, the simulation and the agent decide about an engine, and users do not. */
export interface EngineInternals {
  seams?: Partial<Seams>
  /** Keeps engines of different makes apart in one store: `entity` by default. */
  kind?: string
  /** Gets the second argument that handlers of our own have. */
  handler?: CheckedOptions['handler']
  /** Told of everything that is counted. */
  count?: (metric: Metric, n: number) => void
}

const MAX_REMEMBERED = 10_000

export function createEngineWith<E, O>(options: EngineOptions<E, O>, internals: EngineInternals = {}): Engine<E, O> {
  const checked = checkEngineOptions(options)
  const { kind = 'entity', handler = checked.handler, count = () => undefined } = internals
  const seams: Seams = { ...systemSeams(options.clock), ...internals.seams }
  const ground = makeGround(options, { ...checked, kind, handler, count, lenient: false, abortFails: false }, seams)
  const { under, closing, closed } = ground

  /** Runs one call of the user's, which `close` waits for. */
  function run<T>(work: () => Promise<T>): Promise<T> {
    if (closing.signal.aborted) return Promise.reject(wasClosed())
    const done = work()
    under.add(done)
    const over = (): void => void under.delete(done)
    done.then(over, over)
    return done
  }

  async function checkEvent(
    given: EngineEvent<E>,
  ): Promise<{ id: string; entity: string; event: { id: string; data: Storable } }> {
    if (typeof given !== 'object' || given === null) throw refuse('The event', '{ entity, event: { id, data } }', given)
    const { entity: id, event } = given
    if (typeof event !== 'object' || event === null) throw refuse('event', '{ id, data }', event)
    const eventId: unknown = event.id
    checkNamesOfEvent(kind, id, eventId)
    const data = normalise((await checkSchema(checked.event, event.data, 'event.data')) ?? null, 'event.data')
    checkEventSize(ground, encodeEnvelope({ value: data, createdAtMs: 0 }).length)
    return { id, entity: rowEntity(kind, id), event: { id: eventId as string, data } }
  }

  function entityOf(entity: unknown): { id: string; entity: string } {
    checkName(entity, 'entity')
    return { id: entity, entity: rowEntity(kind, entity) }
  }

  const engine: Engine<E, O> = {
    submit: (event, { signal } = {}) => run(async () => submit(ground, await checkEvent(event), { signal })),
    activate: (event, { signal } = {}) =>
      run(async () => (await activate(ground, { ...(await checkEvent(event)), signal })) as never),
    resume: ({ entity, questionId, answer }, { signal } = {}) =>
      run(async () => {
        const given = { ...entityOf(entity), questionId, answer: normalise(answer, 'answer'), signal }
        const outcome = await resume(ground, given)
        ground.release(given.id)
        return outcome as never
      }),
    abandon: ({ entity, eventId }) =>
      run(async () => {
        checkName(eventId, 'eventId')
        const given = { ...entityOf(entity), eventId }
        await abandon(ground, given)
        ground.release(given.id)
      }),
    retry: ({ entity, eventId, journal = 'keep' }, { signal } = {}) =>
      run(async () => {
        checkName(eventId, 'eventId')
        if (journal !== 'keep' && journal !== 'drop') throw refuse('journal', "'keep' or 'drop'", journal)
        return (await retry(ground, { ...entityOf(entity), eventId, journal }, signal)) as never
      }),
    deadLetters: (listOptions = {}) => deadLetters(ground, listOptions),
    sweep: () => run(() => sweep(ground)),
    work: ({ signal, concurrency = 1 } = {}) =>
      run(async () => {
        if (!Number.isSafeInteger(concurrency) || concurrency < 1)
          throw refuse('concurrency', 'a whole number from 1', concurrency)
        const until = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
        await workUntil(ground, until, concurrency)
      }),
    close() {
      closing.abort()
      return (closed.promise ??= (async () => {
        while (under.size + ground.background.size > 0) await Promise.allSettled([...under, ...ground.background])
        await ground.closeLongterm()
      })())
    },
    [Symbol.asyncDispose]: () => engine.close(),
  }
  return engine
}

export interface OwnGround extends Ground {
  under: Set<Promise<unknown>>
  closing: AbortController
  closed: { promise?: Promise<void> }
  closeLongterm(): Promise<void>
}

/** What an engine stands on: for engines, and for agents, which call its parts themselves. */
export function makeGround(
  { store, model }: EngineOptions<any, any>,
  options: CheckedOptions,
  seams: Seams,
): OwnGround {
  const { longterm } = options
  let opened: Promise<RowStore> | undefined
  let wakers: (() => void)[] = []
  return {
    store,
    seams,
    clock: seams.clock,
    options,
    model,
    owner: seams.clock.newId(),
    async longterm() {
      if (typeof longterm !== 'string') return longterm!
      opened ??= openLongterm(longterm)
      try {
        return await opened
      } catch (error) {
        opened = undefined
        throw error
      }
    },
    running: new Set(),
    held: new Map(),
    seen: new Map(),
    cleaned: new Map(),
    remember(map, entity, value) {
      map.delete(entity)
      map.set(entity, value)
      if (map.size > MAX_REMEMBERED) map.delete(map.keys().next().value!)
    },
    background: new Set(),
    wake() {
      for (const wake of wakers.splice(0)) wake()
    },
    release(id) {
      this.held.delete(id)
      this.wake()
    },
    async woken(ms, signal) {
      const stop = new AbortController()
      const wake = (): void => stop.abort()
      wakers.push(wake)
      await sleep(seams, ms, AbortSignal.any([signal, stop.signal]))
      wakers = wakers.filter((each) => each !== wake)
    },
    under: new Set(),
    closing: new AbortController(),
    closed: {},
    async closeLongterm() {
      if (opened !== undefined) await (await opened.catch(() => undefined))?.close()
    },
  }
}

function wasClosed(): KeepsakeError {
  return new KeepsakeError('unavailable', 'This engine was closed; create a new one.')
}
