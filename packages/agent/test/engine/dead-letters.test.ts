import { inMemoryStore, records } from '@keepsake/core'
import { expect, it } from 'vitest'
import type { CheckedOptions } from '../../src/engine/check-engine-options.ts'
import { createEngineWith } from '../../src/engine/create-engine-with.ts'
import type { Activation } from '../../src/index.ts'
import { rejection } from '../support.ts'
import { idle, mortal, testTime, worker } from './support.ts'

const LEASE_MS = 30_000
const event = { entity: 'ada', event: { id: 'e1', data: null } }

/** A handler that calls once and then fails until it is told not to. */
function failing() {
  const state = { fails: true, calls: [] as string[], times: [] as number[] }
  const handler = async (a: Activation): Promise<unknown> => {
    if (a.event.id !== 'e1') return 'other'
    state.times.push(a.nowMs)
    const paid = await a.step('pay', async () => state.calls.push('pay'))
    const sent = await a.step('send', async () => {
      state.calls.push('send')
      if (state.fails) throw new Error('The mail server is down.')
      return 'sent'
    })
    return { paid, sent }
  }
  return { state, handler }
}

it('an event whose handler fails becomes a dead letter, and the next go on', async () => {
  const { handler } = failing()
  const time = testTime()
  const store = inMemoryStore()
  const engine = worker(time, { store, longterm: store, handler })
  const failed = { status: 'failed', error: { code: 'run_failed', message: 'The mail server is down.' } }
  expect(await engine.activate(event)).toEqual(failed)
  expect(await engine.activate({ entity: 'ada', event: { id: 'e2', data: null } })).toMatchObject({ output: 'other' })
  // Delivered again it is not run again.
  expect(await engine.activate(event)).toEqual(failed)
  expect((await engine.deadLetters()).items).toEqual([
    {
      entity: 'ada',
      eventId: 'e1',
      kind: 'handler_error',
      message: 'The mail server is down.',
      expiresAtMs: time.nowMs() + 30 * 86_400_000,
    },
  ])
})

it('a retry keeps the journal while nothing was committed since: what succeeded is not called again', async () => {
  const { state, handler } = failing()
  const time = testTime()
  const store = inMemoryStore()
  const engine = worker(time, { store, handler })
  await engine.activate(event)
  state.fails = false
  await time.advance(5_000)
  expect(await engine.retry({ entity: 'ada', eventId: 'e1' })).toEqual({
    status: 'completed',
    output: { paid: 1, sent: 'sent' },
    replayed: false,
    journal: 'keep',
  })
  expect(state.calls).toEqual(['pay', 'send', 'send'])
  // What was asked was asked at that time.
  expect(new Set(state.times).size).toBe(1)
  await engine.activate({ entity: 'ada', event: { id: 'e2', data: null } })
  await idle()
  expect((await engine.deadLetters()).items).toEqual([])
  expect(await engine.retry({ entity: 'ada', eventId: 'e1' })).toMatchObject({ status: 'completed', replayed: true })
})

it('what a retry has committed is listed no more, before anything is cleaned up', async () => {
  const { state, handler } = failing()
  const engine = worker(testTime(), { store: inMemoryStore(), handler })
  await engine.activate(event)
  state.fails = false
  await engine.retry({ entity: 'ada', eventId: 'e1' })
  expect((await engine.deadLetters()).items).toEqual([])
})

it('a retry calls again what was asked because of a failure, in whatever scope', async () => {
  const state = { fails: true, calls: [] as string[] }
  const time = testTime()
  const store = inMemoryStore()
  const handler: CheckedOptions['handler'] = async (_a, calls) => {
    const tool = (name: string) =>
      calls.scope(name, (scope) =>
        scope
          .step(name, async () => {
            state.calls.push(name)
            if (state.fails && name === 'search') throw new Error('The search is down.')
            return `${name} worked`
          })
          .catch((error: Error) => error.message),
      )
    const found = await Promise.all([tool('search'), tool('weather')])
    await calls.step(`answer ${found.join()}`, async () => void state.calls.push('answer'))
    if (state.fails) throw new Error('There is no answer.')
    return found
  }
  const engine = createEngineWith<null, unknown>({ store, handler: async () => null }, { seams: time.seams, handler })
  expect(await engine.activate(event)).toMatchObject({ status: 'failed' })
  state.fails = false
  expect(await engine.retry({ entity: 'ada', eventId: 'e1' })).toMatchObject({
    journal: 'keep',
    output: ['search worked', 'weather worked'],
  })
  // What ran beside the failure has nothing of it.
  expect(state.calls).toEqual(['search', 'weather', 'answer', 'search', 'answer'])
})

it('a retry drops the journal when asked, and when something was committed since', async () => {
  for (const [between, journal] of [
    [false, 'drop'],
    [true, 'keep'],
  ] as const) {
    const { state, handler } = failing()
    const engine = worker(testTime(), { store: inMemoryStore(), handler })
    await engine.activate(event)
    if (between) await engine.activate({ entity: 'ada', event: { id: 'e2', data: null } })
    state.fails = false
    expect(await engine.retry({ entity: 'ada', eventId: 'e1', journal })).toMatchObject({
      status: 'completed',
      journal: 'drop',
    })
    expect(state.calls).toEqual(['pay', 'send', 'pay', 'send'])
  }
})

it('a retry drops the journal once the working memory that the handler had seen has expired', async () => {
  const time = testTime()
  const asked: string[] = []
  const state = { fails: true }
  const engine = worker<string, unknown>(time, {
    store: inMemoryStore(),
    ttlMs: 1_000,
    async handler(a) {
      if (a.event.id === 'e0') return a.memory.put(['name'], 'Ada')
      const name = (await a.memory.get(['name']))?.value ?? 'nobody'
      const said = await a.step(`greet ${name as string}`, async () => asked.push(name as string))
      if (state.fails) throw new Error('not now')
      return said
    },
  })
  await engine.activate({ entity: 'ada', event: { id: 'e0', data: '' } })
  await engine.activate({ entity: 'ada', event: { id: 'e1', data: '' } })
  await time.advance(2_000)
  expect(await engine.sweep()).toEqual({ expired: 1 })
  state.fails = false
  expect(await engine.retry({ entity: 'ada', eventId: 'e1' })).toEqual({
    status: 'completed',
    output: 2,
    replayed: false,
    journal: 'drop',
  })
  expect(asked).toEqual(['Ada', 'nobody'])
})

it('a retry that fails again is a dead letter again', async () => {
  const { handler } = failing()
  const engine = worker(testTime(), { store: inMemoryStore(), handler })
  await engine.activate(event)
  expect(await engine.retry({ entity: 'ada', eventId: 'e1' })).toMatchObject({ status: 'failed', journal: 'keep' })
  expect((await engine.deadLetters()).items).toHaveLength(1)
})

it('the copy of a journal is completed by whoever takes the retry over', async () => {
  // Writes of the retry: 1 claim, 2 the copy, 3 the head without the old activation.
  for (const [write, when] of [
    [1, 'after'],
    [2, 'before'],
    [2, 'after'],
    [3, 'after'],
  ] as const) {
    const { state, handler } = failing()
    const time = testTime()
    const store = inMemoryStore()
    const mine = mortal(store)
    const engine = worker(time, { store: mine, leaseMs: LEASE_MS, handler })
    await engine.activate(event)
    state.fails = false
    mine.dieAt(mine.writes + write, when)
    void engine.retry({ entity: 'ada', eventId: 'e1' })
    await idle()
    const other = worker(time, { store, leaseMs: LEASE_MS, handler })
    expect(await other.activate(event)).toEqual({ status: 'busy' })
    await time.advance(LEASE_MS)
    expect(await other.activate(event)).toMatchObject({ output: { paid: 1, sent: 'sent' } })
    expect(state.calls.filter((call) => call === 'pay')).toEqual(['pay'])
  }
})

it('what is no dead letter cannot be retried', async () => {
  const engine = worker(testTime(), { store: inMemoryStore(), handler: async () => 1 })
  expect((await rejection(engine.retry({ entity: 'ada', eventId: 'e1' }))).message).toContain('no dead letter')
})

it('dead letters of many entities are listed page by page, each once', async () => {
  const store = inMemoryStore()
  const engine = worker(testTime(), {
    store,
    handler: async (a) => {
      if (a.event.id === 'fine') return null
      throw new Error(`Of ${a.entity}.`)
    },
  })
  const expected = new Set<string>()
  for (let n = 0; n < 45; n++) {
    for (const id of ['a', 'b']) {
      await engine.activate({ entity: `entity ${n}`, event: { id, data: null } })
      expected.add(`entity ${n} ${id} Of entity ${n}.`)
    }
    await engine.activate({ entity: `entity ${n}`, event: { id: 'fine', data: null } })
  }
  const listed: string[] = []
  let pages = 0
  for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages++) {
    const page = await engine.deadLetters({ limit: 7, ...(cursor !== undefined && { cursor }) })
    expect(page.items.length).toBeLessThanOrEqual(7)
    listed.push(...page.items.map(({ entity, eventId, message }) => `${entity} ${eventId} ${message}`))
    cursor = page.cursor
  }
  expect(listed).toHaveLength(90)
  expect(new Set(listed)).toEqual(expected)
})

it('a handler that takes too long fails, and its calls throw from then on', async () => {
  const time = testTime()
  const gate = Promise.withResolvers<void>()
  const late: unknown[] = []
  let aborted = false
  const store = inMemoryStore()
  const engine = worker<null, unknown>(time, {
    store,
    longterm: store,
    timeoutMs: 1_000,
    handler: async (a) => {
      a.signal.addEventListener('abort', () => (aborted = true))
      await gate.promise
      for (const call of [
        () => a.step('late', async () => late.push('made')),
        () => a.memory.put(['k'], 1),
        () => a.longterm.put(['k'], 1),
        () => a.interrupt('late?'),
      ]) {
        try {
          await call()
        } catch (error) {
          late.push(error)
        }
      }
      return 'late'
    },
  })
  const outcome = engine.activate(event)
  await time.advance(1_000)
  expect(await outcome).toMatchObject({ status: 'failed', error: { code: 'run_failed' } })
  expect(aborted).toBe(true)
  expect((await engine.deadLetters()).items).toMatchObject([{ kind: 'timeout' }])
  gate.resolve()
  await idle()
  expect(late).toMatchObject([{ code: 'aborted' }, { code: 'aborted' }, { code: 'aborted' }, { code: 'aborted' }])
  expect(await records(store, 'ada').get(['k'])).toBeUndefined()
})

it('a signal ends the attempt and not the event, which goes on at once', async () => {
  const time = testTime()
  const store = inMemoryStore()
  const stop = new AbortController()
  const calls: string[] = []
  const handler = async (a: Activation): Promise<string> => {
    await a.step('one', async () => void calls.push('one'))
    if (calls.length === 1) {
      calls.push('hang')
      await new Promise(() => {})
    }
    return 'done'
  }
  const engine = worker<null, string>(time, { store, handler })
  const outcome = rejection(engine.activate(event, { signal: stop.signal }))
  await idle()
  stop.abort()
  expect((await outcome).code).toBe('aborted')
  const other = worker<null, string>(time, { store, handler })
  expect(await other.activate(event)).toMatchObject({ output: 'done' })
  expect(calls).toEqual(['one', 'hang'])
})
