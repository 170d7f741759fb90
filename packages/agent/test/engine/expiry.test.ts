import { inMemoryStore, KeepsakeError, records, type RowStore } from '@keepsake/core'
import { expect, it } from 'vitest'
import { flushToLongterm, type Activation, type EngineOptions } from '../../src/index.ts'
import { rowsOf } from '../support.ts'
import { testTime, watched, worker } from './support.ts'

const DAY_MS = 86_400_000
const START_MS = Date.UTC(2026, 0, 1)

async function noted(a: Activation<string>): Promise<unknown> {
  if (a.event.data === 'look') return (await a.memory.get(['notes']))?.value ?? null
  if (a.event.data === 'ask') return a.interrupt('Well?')
  if (a.event.data !== '') await a.memory.append(['notes'], a.event.data)
  return null
}

function expiring(options: Partial<EngineOptions<string, unknown>> = {}, store: RowStore = inMemoryStore()) {
  const time = testTime(START_MS)
  const counts: [string, number][] = []
  const engine = worker<string, unknown>(
    time,
    { store, ttlMs: DAY_MS, handler: noted, ...options },
    { count: (...counted) => counts.push(counted) },
  )
  let events = 0
  const deliver = (data: string, entity = 'ada') => engine.activate({ entity, event: { id: `e${++events}`, data } })
  return { time, engine, store, deliver, counts }
}

const dueRows = async (store: RowStore): Promise<number> =>
  (await rowsOf(store)).filter(({ key }) => key.startsWith('due')).length

it('working memory is wiped so long after the last commit, and not before', async () => {
  const { time, engine, store, deliver } = expiring()
  await deliver('one')
  await time.advance(DAY_MS / 2)
  await deliver('two')
  await time.advance(DAY_MS - 1)
  expect(await engine.sweep()).toEqual({ expired: 0 })
  expect(await dueRows(store)).toBe(1)
  await time.advance(1)
  expect(await engine.sweep()).toEqual({ expired: 1 })
  expect(await dueRows(store)).toBe(0)
  expect(await deliver('look')).toMatchObject({ output: null })
  // Life goes on, and ends again.
  await deliver('three')
  expect(await dueRows(store)).toBe(1)
  await time.advance(DAY_MS)
  expect(await engine.sweep()).toEqual({ expired: 1 })
})

it('it is flushed into long-term memory first, once, with the time at which it expired', async () => {
  const longterm = inMemoryStore()
  const { time, engine, deliver } = expiring({ longterm, onExpire: flushToLongterm() })
  await deliver('one')
  await deliver('two')
  await time.advance(3 * DAY_MS)
  expect(await engine.sweep()).toEqual({ expired: 1 })
  const entry = await records(longterm, 'ada').get(['working_memory'])
  expect(entry).toMatchObject({
    value: { entries: [{ key: ['notes'], value: ['one', 'two'] }] },
    createdAtMs: START_MS + DAY_MS,
    updatedAtMs: START_MS + DAY_MS,
  })
  await deliver('three')
  await time.advance(DAY_MS)
  expect(await engine.sweep()).toEqual({ expired: 1 })
  expect((await records(longterm, 'ada').get(['working_memory']))?.value).toEqual({
    entries: [{ key: ['notes'], value: ['three'] }],
  })
})

it('empty memory is wiped without a call to long-term memory', async () => {
  const calls: string[] = []
  const longterm = watched(inMemoryStore(), { before: ({ method }) => void calls.push(method) })
  const { time, engine, deliver, store } = expiring({ longterm, onExpire: flushToLongterm({ key: ['old'] }) })
  await deliver('')
  await time.advance(DAY_MS)
  await engine.sweep()
  expect(calls).toEqual([])
  expect(await dueRows(store)).toBe(0)
})

it('a flush that fails is tried again, later and later, wipes nothing and holds up nobody else', async () => {
  const inner = inMemoryStore()
  let down = true
  const longterm: RowStore = {
    ...inner,
    async write(rows, options) {
      if (down && rows.some(({ entity }) => entity.includes('ada'))) throw new KeepsakeError('unavailable', 'Down.')
      return inner.write(rows, options)
    },
  }
  const { time, engine, deliver, counts } = expiring({ longterm, onExpire: flushToLongterm() })
  await deliver('one', 'ada')
  await deliver('two', 'bob')
  await time.advance(DAY_MS)
  expect(await engine.sweep()).toEqual({ expired: 1 })
  expect(await engine.sweep()).toEqual({ expired: 0 })
  expect(counts.filter(([metric]) => metric === 'keepsake.expiry.failed')).toEqual([['keepsake.expiry.failed', 1]])
  for (const waitMs of [1_000, 2_000, 4_000]) {
    await time.advance(waitMs - 1)
    await engine.sweep()
    const before = counts.length
    await time.advance(1)
    await engine.sweep()
    expect(counts.length).toBe(before + 1)
  }
  expect((await engine.deadLetters()).items).toEqual([])
  down = false
  await time.advance(8_000)
  expect(await engine.sweep()).toEqual({ expired: 1 })
  expect(await records(inner, 'ada').get(['working_memory'])).toMatchObject({ updatedAtMs: START_MS + DAY_MS })
})

it('a flush that does not end is given up after its time', async () => {
  const inner = inMemoryStore()
  const longterm = watched(inner, { before: () => new Promise(() => {}) })
  const { time, engine, deliver, counts } = expiring({ longterm, onExpire: flushToLongterm({ timeoutMs: 500 }) })
  await deliver('one')
  await time.advance(DAY_MS)
  const swept = engine.sweep()
  await time.advance(500)
  expect(await swept).toEqual({ expired: 0 })
  expect(counts).toEqual([['keepsake.expiry.failed', 1]])
})

it('an event that is claimed while the flush goes on wins, and nothing is wiped', async () => {
  const inner = inMemoryStore()
  let between: (() => Promise<unknown>) | undefined
  const longterm = watched(inner, {
    async after({ method }) {
      if (method !== 'write' || between === undefined) return
      const work = between
      between = undefined
      await work()
    },
  })
  const { time, engine, deliver } = expiring({ longterm, onExpire: flushToLongterm() })
  await deliver('one')
  await time.advance(DAY_MS)
  between = () => deliver('two')
  expect(await engine.sweep()).toEqual({ expired: 0 })
  expect(await deliver('look')).toMatchObject({ output: ['one', 'two'] })
  await time.advance(2 * DAY_MS)
  await engine.sweep()
  expect((await records(inner, 'ada').get(['working_memory']))?.value).toEqual({
    entries: [{ key: ['notes'], value: ['one', 'two'] }],
  })
})

it('a suspended event whose time is over becomes a dead letter, and then its memory goes', async () => {
  const { time, engine, deliver } = expiring()
  await deliver('one')
  expect(await deliver('ask')).toMatchObject({ status: 'suspended' })
  await time.advance(DAY_MS - 1)
  await engine.sweep()
  expect((await engine.deadLetters()).items).toEqual([])
  await time.advance(1)
  await engine.sweep()
  expect((await engine.deadLetters()).items).toMatchObject([{ eventId: 'e2', kind: 'ttl_wiped_suspension' }])
  await time.advance(1)
  await engine.sweep()
  expect(await deliver('look')).toMatchObject({ output: null })
})

it('a first event that is suspended expires too', async () => {
  const { time, engine, deliver, store } = expiring()
  await deliver('ask')
  await time.advance(DAY_MS)
  await engine.sweep()
  expect((await engine.deadLetters()).items).toMatchObject([{ kind: 'ttl_wiped_suspension' }])
  await time.advance(DAY_MS)
  await engine.sweep()
  expect(await dueRows(store)).toBe(0)
})

it('work expires what is due, and no turn but the first writes a due row', async () => {
  const writes: string[] = []
  const inner = inMemoryStore()
  const store = watched(inner, {
    before: ({ rows }) => void writes.push(...rows.map(({ key }) => key.split('\u0001')[0]!)),
  })
  const { time, engine, deliver } = expiring({}, store)
  for (const data of ['one', 'two', 'three']) await deliver(data)
  expect(writes.filter((key) => key === 'due')).toHaveLength(1)
  const stop = new AbortController()
  const working = engine.work({ signal: stop.signal })
  await time.advance(DAY_MS / 100)
  stop.abort()
  await time.advance(0)
  await working
  await time.advance(DAY_MS)
  const again = new AbortController()
  const expiringNow = engine.work({ signal: again.signal })
  await time.advance(11_000)
  again.abort()
  await time.advance(0)
  await expiringNow
  expect(await dueRows(store)).toBe(0)
})
