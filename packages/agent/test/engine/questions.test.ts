import { decodeEnvelope, inMemoryStore, type RowStore, type RowWrite } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { createEngineWith } from '../../src/engine/create-engine-with.ts'
import type { Activation, Engine, Outcome } from '../../src/index.ts'
import { rejection } from '../support.ts'
import { idle, mortal, testTime, watched, worker } from './support.ts'

const LEASE_MS = 30_000
const event = { entity: 'ada', event: { id: 'e1', data: null } }
const next = { entity: 'ada', event: { id: 'e2', data: null } }

interface Made {
  engine: Engine<null, unknown>
  calls: string[]
  on: (store: RowStore) => Engine<null, unknown>
  time: ReturnType<typeof testTime>
  store: RowStore
}

function asking(handler?: (a: Activation, calls: string[]) => Promise<unknown>): Made {
  const time = testTime()
  const store = inMemoryStore()
  const calls: string[] = []
  const ask = async (a: Activation): Promise<unknown> => {
    if (a.event.id === 'e2') return 'second'
    await a.step('before', async () => void calls.push('before'))
    const answer = await a.interrupt<string>({ ask: 'Really?' })
    await a.step('after', async () => void calls.push('after'))
    return `answered ${answer}`
  }
  const on = (each: RowStore): Engine<null, unknown> =>
    worker<null, unknown>(time, {
      store: each,
      leaseMs: LEASE_MS,
      handler: (a) => (handler === undefined ? ask(a) : handler(a, calls)),
    })
  return { engine: on(store), calls, on, time, store }
}

/** A handler of something that it reads. */
function reading(world: { x: number }, then: (a: Activation, x: number) => Promise<unknown>) {
  const time = testTime()
  const store = inMemoryStore()
  const on = (each: RowStore): Engine<null, unknown> =>
    createEngineWith<null, unknown>(
      { store: each, leaseMs: LEASE_MS, handler: async () => null },
      { seams: time.seams, handler: async (a, calls) => then(a, (await calls.outside(async () => world.x)) as number) },
    )
  return { time, store, on }
}

const isJournal = (rows: readonly RowWrite[]): boolean => rows.some(({ key }) => key.startsWith('j'))

function saysSuspended(rows: readonly RowWrite[]): boolean {
  const head = rows.find(({ key }) => key.startsWith('h'))
  return head !== undefined && JSON.stringify(decodeEnvelope(head.rec).value).includes('"suspended"')
}

async function suspended(outcome: Promise<Outcome<unknown>>): Promise<string> {
  const found = await outcome
  if (found.status !== 'suspended') throw new Error(`it is ${found.status}`)
  return found.questionId
}

describe('a question', () => {
  it('suspends, and its answer goes on, with nothing called twice', async () => {
    const { engine, calls } = asking()
    const first = await engine.activate(event)
    expect(first).toMatchObject({ status: 'suspended', question: { ask: 'Really?' } })
    const { questionId } = first as { questionId: string }
    // Another delivery and another event are told the same and store nothing.
    expect(await engine.activate(event)).toEqual(first)
    expect(await engine.activate(next)).toEqual(first)
    expect(await engine.resume({ entity: 'ada', questionId, answer: 'yes' })).toEqual({
      status: 'completed',
      output: 'answered yes',
      replayed: false,
    })
    expect(calls).toEqual(['before', 'after'])
    expect(await engine.resume({ entity: 'ada', questionId, answer: 'no' })).toEqual({ status: 'already_answered' })
    expect(await engine.activate(next)).toMatchObject({ output: 'second' })
  })

  it('takes one answer of two that come at once', async () => {
    const { engine, on, store } = asking()
    const questionId = await suspended(engine.activate(event))
    const answers = await Promise.all(
      [engine, on(store)].map((each, index) => each.resume({ entity: 'ada', questionId, answer: `answer ${index}` })),
    )
    expect(answers.filter(({ status }) => status === 'already_answered')).toHaveLength(1)
    const won = answers.findIndex(({ status }) => status !== 'already_answered')
    await idle()
    expect(await engine.activate(event)).toMatchObject({ output: `answered answer ${won}` })
  })

  it('that was answered is gone on with by the next delivery, if who answered died', async () => {
    const { engine, on, store, calls } = asking()
    const questionId = await suspended(engine.activate(event))
    const mine = mortal(store)
    // The first write of a resume is the answer.
    mine.dieAt(1, 'after')
    void on(mine).resume({ entity: 'ada', questionId, answer: 'yes' })
    await idle()
    expect(await engine.activate(next)).toMatchObject({ output: 'second' })
    expect(await engine.activate(event)).toMatchObject({ output: 'answered yes', replayed: true })
    expect(calls).toEqual(['before', 'after'])
  })

  it('that was answered and cleaned up while somebody looked is no damage', async () => {
    const { engine, on, store } = asking()
    const questionId = await suspended(engine.activate(event))
    const gate = Promise.withResolvers<void>()
    let loads = 0
    // A delivery loads the head, the event, and then the question.
    const slow = watched(store, {
      before: ({ method }) => (method === 'load' && ++loads === 3 ? gate.promise : undefined),
    })
    const looking = on(slow).activate(event)
    await idle()
    await engine.resume({ entity: 'ada', questionId, answer: 'yes' })
    await engine.activate(next)
    await idle()
    gate.resolve()
    expect(await looking).toMatchObject({ status: 'completed', output: 'answered yes' })
  })

  it('whose place another attempt had taken, by a worker that died of it, is gone on without', async () => {
    const world = { x: 1 }
    const { on, store, time } = reading(world, async (a, x) =>
      x === 1 ? a.step('one', async () => 'made with one') : a.interrupt('two?'),
    )
    const gates = { first: Promise.withResolvers<void>(), journaled: Promise.withResolvers<void>() }
    // The entry of the first lands when the second writes its own.
    let asleep = false
    const slow = watched(store, {
      before({ rows }) {
        asleep ||= isJournal(rows)
        return asleep ? gates.first.promise : undefined
      },
      after: ({ rows }) => isJournal(rows) && gates.journaled.resolve(),
    })
    void on(slow).activate(event)
    await idle()
    world.x = 2
    const dying = watched(store, {
      limits: { atomicBatch: false },
      async before({ rows }) {
        if (!isJournal(rows)) return
        gates.first.resolve()
        await gates.journaled.promise
      },
      // It says that it is suspended, and is gone.
      after: ({ rows }) => (saysSuspended(rows) ? new Promise(() => {}) : undefined),
    })
    const second = on(dying)
    expect(await second.activate(event)).toEqual({ status: 'busy' })
    await time.advance(LEASE_MS)
    void second.activate(event)
    await idle()
    expect(await on(store).activate(event)).toMatchObject({ status: 'completed', output: 'made with one' })
  })

  it('is not answered by the answer to another one that was asked there while the journal was read', async () => {
    const world = { x: 1 }
    const { on, store } = reading(world, async (a, x) => `${x} ${await a.interrupt<string>(`about ${x}?`)}`)
    const questionId = await suspended(on(store).activate(event))
    const mine = mortal(store)
    mine.dieAt(1, 'after')
    void on(mine).resume({ entity: 'ada', questionId, answer: 'yes' })
    await idle()
    world.x = 2
    // Pages are read one after the other: an entry may come behind the first, and its answer into the second.
    let scans = 0
    const paged: RowStore = {
      ...store,
      async scan(entity, range, options) {
        const rows = await store.scan(entity, range, options)
        return range.prefix?.startsWith('j') && ++scans === 1 ? rows.slice(-1) : rows
      },
    }
    expect(await on(paged).activate(event)).toMatchObject({ status: 'completed', output: '1 yes' })
  })

  it('cannot be swallowed', async () => {
    const seen: unknown[] = []
    const { engine } = asking(async (a) => {
      try {
        await a.interrupt('one')
      } catch {
        // As a handler that is careless.
      }
      await a.step('more', async () => seen.push('step')).catch((error: unknown) => seen.push(error))
      await a.memory.put(['k'], 1).catch((error: unknown) => seen.push(error))
      return 'went on'
    })
    expect(await engine.activate(event)).toMatchObject({ status: 'suspended', question: 'one' })
    await idle()
    expect(seen).toMatchObject([{ code: 'aborted' }, { code: 'aborted' }])
  })

  it('beside another is asked after it, and what ran beside them is not called again', async () => {
    const { engine, calls } = asking(async (a, made) =>
      Promise.all([a.interrupt('one'), a.interrupt('two'), a.step('beside', async () => made.push('beside'))]),
    )
    const first = await engine.activate(event)
    expect(first).toMatchObject({ question: 'one' })
    const second = await engine.resume({
      entity: 'ada',
      questionId: (first as { questionId: string }).questionId,
      answer: 1,
    })
    expect(second).toMatchObject({ status: 'suspended', question: 'two' })
    const last = await engine.resume({
      entity: 'ada',
      questionId: (second as { questionId: string }).questionId,
      answer: 2,
    })
    expect(last).toMatchObject({ status: 'completed', output: [1, 2, 1] })
    expect(calls).toEqual(['beside'])
  })

  it('of an abandoned event makes a dead letter', async () => {
    const { engine } = asking()
    const questionId = await suspended(engine.activate(event))
    await engine.abandon({ entity: 'ada', eventId: 'e1' })
    expect((await engine.deadLetters()).items).toMatchObject([{ eventId: 'e1', kind: 'abandoned' }])
    expect(await engine.resume({ entity: 'ada', questionId, answer: 1 })).toEqual({ status: 'already_answered' })
    expect((await rejection(engine.abandon({ entity: 'ada', eventId: 'e1' }))).code).toBe('conflict')
    expect(await engine.activate(next)).toMatchObject({ output: 'second' })
  })

  it('is named by its id and nothing else', async () => {
    const { engine } = asking()
    await engine.activate(event)
    expect((await rejection(engine.resume({ entity: 'ada', questionId: 'x', answer: 1 }))).code).toBe('invalid_value')
    const other = await engine.resume({ entity: 'ada', questionId: `1.1.${'0'.repeat(16)}.`, answer: 1 })
    expect(other).toEqual({ status: 'already_answered' })
    expect(await engine.activate(event)).toMatchObject({ status: 'suspended' })
  })
})
