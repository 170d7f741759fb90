import { createClock, type Row, type RowStore, type RowWrite, type WriteResult } from '@keepsake/core'
import { createEngineWith, type EngineInternals } from '../../src/engine/create-engine-with.ts'
import type { Engine, EngineOptions } from '../../src/engine/engine.ts'
import type { Seams } from '../../src/engine/seams.ts'

/** Time that stands still until it is told, for any number of engines. */
export interface TestTime {
  seams: Seams
  nowMs(): number
  /** Lets time pass, and every timer fire at its time, with all that follows from it. */
  advance(ms: number): Promise<void>
}

let engines = 0

export function testTime(startMs: number = Date.UTC(2026, 0, 1)): TestTime {
  let nowMs = startMs
  let ids = 0
  const prefix = `e${++engines}`
  const timers = new Set<{ atMs: number; callback: () => void }>()
  const clock = createClock({ nowMs: () => nowMs, newId: () => `${prefix}-${++ids}` })
  return {
    nowMs: () => nowMs,
    seams: {
      clock,
      monotonicMs: () => nowMs,
      setTimer(delayMs, callback) {
        const timer = { atMs: nowMs + delayMs, callback }
        timers.add(timer)
        return () => void timers.delete(timer)
      },
    },
    async advance(ms) {
      const untilMs = nowMs + ms
      await idle()
      for (;;) {
        const next = [...timers].filter(({ atMs }) => atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs)[0]
        if (next === undefined) break
        nowMs = Math.max(nowMs, next.atMs)
        timers.delete(next)
        next.callback()
        await idle()
      }
      nowMs = untilMs
    },
  }
}

/** Lets everything run that waits for nothing outside. */
export async function idle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A worker: an engine on a store of its own making, in shared time. */
export function worker<E, O>(
  time: TestTime,
  options: EngineOptions<E, O>,
  internals: EngineInternals = {},
): Engine<E, O> {
  return createEngineWith(options, { ...internals, seams: time.seams })
}

/** What a call of a store came to, as it passes. */
export interface Passing {
  method: 'load' | 'scan' | 'write' | 'remove'
  entities: string[]
  rows: readonly RowWrite[]
}

/** A store that tells of its calls, and can do so before and after them. */
export function watched(
  store: RowStore,
  hooks: {
    before?: (call: Passing) => unknown
    after?: (call: Passing) => unknown
    limits?: Partial<RowStore['limits']>
  },
): RowStore {
  async function pass<T>(call: Passing, work: () => Promise<T>): Promise<T> {
    await hooks.before?.(call)
    const result = await work()
    await hooks.after?.(call)
    return result
  }
  const entitiesOf = (ids: readonly { entity: string }[]): string[] => [...new Set(ids.map(({ entity }) => entity))]
  return {
    ...store,
    name: store.name,
    limits: { ...store.limits, ...hooks.limits },
    load: (ids, options): Promise<(Row | undefined)[]> =>
      pass({ method: 'load', entities: entitiesOf(ids), rows: [] }, () => store.load(ids, options)),
    scan: (entity, range, options): Promise<Row[]> =>
      pass({ method: 'scan', entities: [entity], rows: [] }, () => store.scan(entity, range, options)),
    write: (rows, options): Promise<WriteResult[]> =>
      pass({ method: 'write', entities: entitiesOf(rows), rows }, () => store.write(rows, options)),
    remove: (ids, options): Promise<number> =>
      pass({ method: 'remove', entities: entitiesOf(ids), rows: [] }, () => store.remove(ids, options)),
  }
}

/** The store as a worker sees it that dies: from then on none of its calls is answered, nor reaches the store. */
export function mortal(
  store: RowStore,
  limits: Partial<RowStore['limits']> = {},
  counted: readonly Passing['method'][] = ['write'],
): RowStore & { die(): void; dieAt(write: number, when: 'before' | 'after'): void; readonly writes: number } {
  let dead = false
  let writes = 0
  let last: { write: number; when: 'before' | 'after' } | undefined
  const never = new Promise<never>(() => {})
  const isNow = (when: 'before' | 'after'): boolean => last?.write === writes && last.when === when
  const seen = watched(store, {
    limits,
    before(call) {
      if (counted.includes(call.method) && !dead) writes++
      if (counted.includes(call.method) && isNow('before')) dead = true
      return dead ? never : undefined
    },
    after(call) {
      if (counted.includes(call.method) && isNow('after')) dead = true
      return dead ? never : undefined
    },
  })
  return {
    ...seen,
    die() {
      dead = true
    },
    dieAt(write, when) {
      last = { write, when }
    },
    get writes() {
      return writes
    },
  }
}

/** Everything below an entity of the engine's, by the first segment of its keys. */
export async function keysOf(store: RowStore, entity: string): Promise<string[]> {
  return (await store.scan(entity, { limit: 1000 })).map(({ key }) => key.split('\u0001').slice(0, -1).join(' '))
}
