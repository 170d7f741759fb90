import { inMemoryStore, records, type RowStore } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import type { Activation } from '../../src/index.ts'
import { idle, keysOf, mortal, testTime, worker, type TestTime } from './support.ts'

const LEASE_MS = 30_000
const ENTITY = 'entity\u0001ada\u0001'

/** A handler of every kind of call, and how often each was made. */
function program(made: string[]): (a: Activation<{ n: number }>) => Promise<unknown> {
  return async (a) => {
    const first = await a.step('first', async () => {
      made.push('first')
      return a.event.data.n * 10
    })
    const before = (await a.longterm.get(['total']))?.value ?? 0
    const second = await a.step('second', async () => {
      made.push('second')
      return first + 1
    })
    await a.memory.append(['seen'], a.event.data.n)
    await a.longterm.put(['total'], Number(before) + a.event.data.n)
    await a.longterm.put(['facts', a.event.id], second)
    return { first, second, before }
  }
}

async function contentOf(store: RowStore): Promise<unknown> {
  const longterm = records(store, 'ada')
  return {
    total: (await longterm.get(['total']))?.value,
    facts: (await longterm.list(['facts'])).items.map(({ key, value }) => [key, value]),
  }
}

/** Events e1, e2 and e3 of which e2 is worked by an engine that dies at a write, and then by another. */
async function crashAt(
  limits: Partial<RowStore['limits']>,
  write: number,
  when: 'before' | 'after',
): Promise<{ died: boolean; made: string[]; outcome: unknown; content: unknown; store: RowStore; time: TestTime }> {
  const store = inMemoryStore()
  const time = testTime()
  const made: string[] = []
  const engineOf = (on: RowStore) =>
    worker<{ n: number }, unknown>(time, { store: on, longterm: on, leaseMs: LEASE_MS, handler: program(made) })
  const event = (n: number) => ({ entity: 'ada', event: { id: `e${n}`, data: { n } } })
  const first = mortal(store, limits)
  await engineOf(first).activate(event(1))
  await idle()
  made.length = 0
  first.dieAt(first.writes + write, when)
  const before = await Promise.race([engineOf(first).activate(event(2)), idle().then(() => 'died')])
  const second = engineOf(mortal(store, limits))
  if (before === 'died') {
    // The first look may begin the observation of a lease; after it has gone by, the second takes over.
    await second.activate(event(2))
    await time.advance(LEASE_MS)
  }
  const outcome = await second.activate(event(2))
  expect(await second.activate(event(2))).toEqual({ ...(outcome as object), replayed: true })
  const counted = [...made]
  await second.activate(event(3))
  await idle()
  return { died: before === 'died', made: counted, outcome, content: await contentOf(store), store, time }
}

describe.each([{ atomicBatch: true }, { atomicBatch: false }])('an engine that dies at a write, %o', (limits) => {
  it('is finished by another, as if it had not died', async () => {
    let deaths = 0
    for (let write = 1; ; write++) {
      for (const when of ['before', 'after'] as const) {
        const { died, made, outcome, content, store } = await crashAt(limits, write, when)
        const where = `${when} write ${write}`
        if (!died && when === 'before') {
          // A crash-free event writes: claim, two journal entries, decision, flush, commit, clean-up; 2 more where claim and decision are two calls.
          expect(deaths).toBeGreaterThanOrEqual(limits.atomicBatch ? 12 : 16)
          return
        }
        if (died) deaths++
        expect(outcome, where).toMatchObject({ status: 'completed', output: { first: 20, second: 21, before: 1 } })
        expect(content, where).toEqual({
          total: 6,
          facts: [
            [['facts', 'e1'], 11],
            [['facts', 'e2'], 21],
            [['facts', 'e3'], 31],
          ],
        })
        // What is in the journal is not called again; what was in flight may be, once.
        expect(made.length, where).toBeLessThanOrEqual(3)
        const keys = await keysOf(store, ENTITY)
        expect(keys.filter((key) => key.startsWith('c')).length, where).toBe(3)
      }
    }
  })
})

it('a step whose entry is stored is not made again', async () => {
  // Writes of e2: 1 claim, 2 the first step, 3 the second step, 4 the decision.
  for (const [write, when, expected] of [
    [2, 'before', ['first', 'first', 'second']],
    [2, 'after', ['first', 'second']],
    [3, 'before', ['first', 'second', 'second']],
    [3, 'after', ['first', 'second']],
    [4, 'before', ['first', 'second']],
  ] as const) {
    const { made } = await crashAt({ atomicBatch: true }, write, when)
    expect(made, `${when} write ${write}`).toEqual(expected)
  }
})

it('a takeover is served what was read from outside, with the entry that followed', async () => {
  const store = inMemoryStore()
  const time = testTime()
  const mine = mortal(store)
  const options = { longterm: store, leaseMs: LEASE_MS, handler: program([]) }
  const event = { entity: 'ada', event: { id: 'e1', data: { n: 1 } } }
  await records(store, 'ada').put(['total'], 5)
  // 1 the directory, 2 claim, 3 first, 4 second, with the read before it.
  mine.dieAt(4, 'after')
  void worker<{ n: number }, unknown>(time, { ...options, store: mine }).activate(event)
  await idle()
  await records(store, 'ada').put(['total'], 100)
  const second = worker<{ n: number }, unknown>(time, { ...options, store })
  expect(await second.activate(event)).toEqual({ status: 'busy' })
  await time.advance(LEASE_MS)
  expect(await second.activate(event)).toMatchObject({ output: { before: 5 } })
  expect((await records(store, 'ada').get(['total']))?.value).toBe(6)
})

it('a lease is alive as long as the head moves, and ended by the wall clock after 60 s more', async () => {
  const store = inMemoryStore()
  const time = testTime()
  const gate = Promise.withResolvers<void>()
  const handler = async (): Promise<string> => {
    await gate.promise
    return 'slow'
  }
  const slow = worker<null, string>(time, { store, leaseMs: LEASE_MS, handler })
  const other = worker<null, string>(time, { store, leaseMs: LEASE_MS, handler: async () => 'other' })
  const event = { entity: 'ada', event: { id: 'e1', data: null } }
  const working = slow.activate(event)
  for (let i = 0; i < 6; i++) {
    await time.advance(LEASE_MS / 2)
    expect(await other.activate(event)).toEqual({ status: 'busy' })
  }
  gate.resolve()
  expect(await working).toEqual({ status: 'completed', output: 'slow', replayed: false })

  const dying = mortal(store)
  void worker<null, string>(time, { store: dying, leaseMs: LEASE_MS, handler: () => new Promise(() => {}) }).activate({
    entity: 'ada',
    event: { id: 'e2', data: null },
  })
  await idle()
  dying.die()
  await time.advance(LEASE_MS + 60_001)
  const fresh = worker<null, string>(time, { store, leaseMs: LEASE_MS, handler: async () => 'fresh' })
  expect(await fresh.activate({ entity: 'ada', event: { id: 'e2', data: null } })).toMatchObject({ output: 'fresh' })
})

it('an event of the same engine whose attempt is gone is taken over at once', async () => {
  const store = inMemoryStore()
  const time = testTime()
  let broken = true
  const flaky: RowStore = {
    ...store,
    async write(rows, options) {
      if (broken && rows.some(({ key }) => key.startsWith('j'))) throw new Error('no connection')
      return store.write(rows, options)
    },
  }
  const engine = worker<null, number>(time, { store: flaky, handler: (a) => a.step('one', async () => 1) })
  const event = { entity: 'ada', event: { id: 'e1', data: null } }
  await expect(engine.activate(event)).rejects.toThrow('no connection')
  broken = false
  expect(await engine.activate(event)).toMatchObject({ status: 'completed', output: 1 })
})
