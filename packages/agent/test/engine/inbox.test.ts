import { inMemoryStore, KeepsakeError, type RowStore } from '@keepsake/core'
import { expect, it } from 'vitest'
import type { Activation, Engine } from '../../src/index.ts'
import { rejection, rowsOf } from '../support.ts'
import { idle, mortal, testTime, worker, type TestTime } from './support.ts'

const LEASE_MS = 30_000

function recorder(log: string[]) {
  return async (a: Activation): Promise<string> => {
    log.push(`${a.entity} ${a.event.id}`)
    if (a.event.id.startsWith('ask')) return a.interrupt('Well?')
    if (a.event.id.startsWith('bad')) throw new Error('It cannot be done.')
    return a.event.id
  }
}

async function workFor(engine: Engine<any, any>, time: TestTime, ms: number): Promise<void> {
  const stop = new AbortController()
  const working = engine.work({ signal: stop.signal, concurrency: 4 })
  await time.advance(ms)
  stop.abort()
  await time.advance(0)
  await working
}

/** What is left in inboxes and shards. */
async function leftovers(store: RowStore): Promise<string[]> {
  const rows = await rowsOf(store)
  return rows.filter(({ key }) => ['in', 'q', 'x', 'due'].includes(key.split('\u0001')[0]!)).map(({ key }) => key)
}

it('submitted events are worked in order, once, and leave nothing behind', async () => {
  const time = testTime()
  const store = inMemoryStore()
  const log: string[] = []
  const engine = worker<null, string>(time, { store, handler: recorder(log) })
  for (const id of ['e1', 'e2', 'e1', 'e3', 'e2']) await engine.submit({ entity: 'ada', event: { id, data: null } })
  for (const id of ['f1', 'f2']) await engine.submit({ entity: 'bob', event: { id, data: null } })
  expect(log).toEqual([])
  await workFor(engine, time, 1_000)
  expect(log.filter((line) => line.startsWith('ada'))).toEqual(['ada e1', 'ada e2', 'ada e3'])
  expect(log.filter((line) => line.startsWith('bob'))).toEqual(['bob f1', 'bob f2'])
  expect(await leftovers(store)).toEqual([])
  // Submitted once more it is known.
  await engine.submit({ entity: 'ada', event: { id: 'e2', data: null } })
  await workFor(engine, time, 1_000)
  expect(log).toHaveLength(5)
  expect(await leftovers(store)).toEqual([])
})

it('the order is that of submission, also when the clock of the second is behind', async () => {
  const store = inMemoryStore()
  const log: string[] = []
  const [ahead, behind] = [testTime(Date.UTC(2026, 0, 2)), testTime(Date.UTC(2026, 0, 1))]
  const first = worker<null, string>(ahead, { store, handler: recorder(log) })
  const second = worker<null, string>(behind, { store, handler: recorder(log) })
  await first.submit({ entity: 'ada', event: { id: 'e1', data: null } })
  await second.submit({ entity: 'ada', event: { id: 'e2', data: null } })
  await first.submit({ entity: 'ada', event: { id: 'e3', data: null } })
  await workFor(second, behind, 1_000)
  expect(log).toEqual(['ada e1', 'ada e2', 'ada e3'])
})

it('a suspended event holds up the later ones of its entity and no other, and an answer lets them go', async () => {
  const time = testTime()
  const store = inMemoryStore()
  const log: string[] = []
  const engine = worker<null, string>(time, { store, handler: recorder(log) })
  for (const id of ['ask', 'e2']) await engine.submit({ entity: 'ada', event: { id, data: null } })
  await engine.submit({ entity: 'bob', event: { id: 'f1', data: null } })
  const stop = new AbortController()
  const working = engine.work({ signal: stop.signal })
  await time.advance(120_000)
  expect(log).toEqual(expect.arrayContaining(['ada ask', 'bob f1']))
  expect(log).not.toContain('ada e2')
  const open = await engine.activate({ entity: 'ada', event: { id: 'ask', data: null } })
  await engine.resume({ entity: 'ada', questionId: (open as { questionId: string }).questionId, answer: 'Well.' })
  await time.advance(3_000)
  expect(log).toContain('ada e2')
  stop.abort()
  await time.advance(0)
  await working
  expect(await leftovers(store)).toEqual([])
})

it('a dead letter lets the later ones go', async () => {
  const time = testTime()
  const store = inMemoryStore()
  const log: string[] = []
  const engine = worker<null, string>(time, { store, handler: recorder(log) })
  for (const id of ['bad', 'e2']) await engine.submit({ entity: 'ada', event: { id, data: null } })
  await workFor(engine, time, 1_000)
  expect(log).toEqual(['ada bad', 'ada e2'])
  expect((await leftovers(store)).map((key) => key[0])).toEqual(['x'])
  expect((await engine.deadLetters()).items).toMatchObject([{ eventId: 'bad' }])
})

it('a worker that dies at any write loses, repeats and reorders nothing', async () => {
  for (let write = 1; ; write++) {
    for (const when of ['before', 'after'] as const) {
      const time = testTime()
      const store = inMemoryStore()
      const committed: string[] = []
      const handler = async (a: Activation): Promise<number> => {
        const list = (await a.memory.get(['seen']))?.value ?? []
        await a.memory.append(['seen'], a.event.id)
        committed.push(a.event.id)
        return (list as string[]).length
      }
      const mine = mortal(store, {}, ['write', 'remove'])
      const first = worker<null, number>(time, { store: mine, leaseMs: LEASE_MS, handler })
      const acknowledged: string[] = []
      const stop = new AbortController()
      mine.dieAt(write, when)
      void (async () => {
        for (const id of ['e1', 'e2', 'e3']) {
          await first.submit({ entity: 'ada', event: { id, data: null } })
          acknowledged.push(id)
        }
        await first.work({ signal: stop.signal })
      })()
      await time.advance(1_000)
      stop.abort()
      const died = mine.writes >= write
      const second = worker<null, number>(time, { store, leaseMs: LEASE_MS, handler })
      // Who was not told that it was taken submits again.
      for (const id of ['e1', 'e2', 'e3'].filter((each) => !acknowledged.includes(each)))
        await second.submit({ entity: 'ada', event: { id, data: null } })
      await workFor(second, time, 4 * LEASE_MS)
      const positions = await Promise.all(
        ['e1', 'e2', 'e3'].map((id) => second.activate({ entity: 'ada', event: { id, data: null } })),
      )
      const where = `${when} write ${write}`
      expect(positions, where).toEqual([0, 1, 2].map((output) => ({ status: 'completed', output, replayed: true })))
      expect(await leftovers(store), where).toEqual([])
      if (!died) {
        // 1 directory; of each event 2 of the submit, claim, commit, and 2 removals.
        expect(write).toBeGreaterThan(19)
        return
      }
    }
  }
})

it('what the store refuses holds up its entity, with backoff, and no other', async () => {
  const time = testTime()
  const inner = inMemoryStore()
  let broken = false
  let tries = 0
  const store: RowStore = {
    ...inner,
    async load(ids, options) {
      if (broken && ids.some(({ entity, key }) => entity.includes('ada') && key.startsWith('h'))) {
        tries++
        throw new KeepsakeError('unavailable', 'No connection.', { retryable: true })
      }
      return inner.load(ids, options)
    },
  }
  const log: string[] = []
  const engine = worker<null, string>(time, { store, handler: recorder(log) })
  await engine.submit({ entity: 'ada', event: { id: 'e1', data: null } })
  await engine.submit({ entity: 'bob', event: { id: 'f1', data: null } })
  broken = true
  await workFor(engine, time, 60_000)
  expect(log).toEqual(['bob f1'])
  // 100 ms, 200, 400 … 30 s: a handful in a minute.
  expect(tries).toBeGreaterThan(3)
  expect(tries).toBeLessThan(15)
  broken = false
  await workFor(engine, time, 60_000)
  expect(log).toEqual(['bob f1', 'ada e1'])
})

it('two workers on one store handle nothing twice', async () => {
  const time = testTime()
  const store = inMemoryStore()
  const log: string[] = []
  const engines = [1, 2].map(() => worker<null, string>(time, { store, handler: recorder(log) }))
  for (let n = 0; n < 20; n++)
    for (const id of ['e1', 'e2']) await engines[n % 2]!.submit({ entity: `entity ${n}`, event: { id, data: null } })
  const stop = new AbortController()
  const working = engines.map((engine) => engine.work({ signal: stop.signal, concurrency: 4 }))
  await time.advance(120_000)
  stop.abort()
  await time.advance(0)
  await Promise.all(working)
  expect(log).toHaveLength(40)
  expect(new Set(log).size).toBe(40)
  for (let n = 0; n < 20; n++) expect(log.indexOf(`entity ${n} e1`)).toBeLessThan(log.indexOf(`entity ${n} e2`))
  expect(await leftovers(store)).toEqual([])
})

it('closing ends work, after what is under way, and refuses what comes later', async () => {
  const time = testTime()
  const gate = Promise.withResolvers<void>()
  const engine = worker<null, string>(time, {
    store: inMemoryStore(),
    handler: async () => {
      await gate.promise
      return 'done'
    },
  })
  await engine.submit({ entity: 'ada', event: { id: 'e1', data: null } })
  const working = engine.work()
  await idle()
  let closed = false
  const closing = engine.close().then(() => (closed = true))
  await idle()
  expect(closed).toBe(false)
  gate.resolve()
  await closing
  await working
  expect((await rejection(engine.submit({ entity: 'ada', event: { id: 'e2', data: null } }))).code).toBe('unavailable')
  await engine.close()
})
