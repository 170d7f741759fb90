import { eraseSubject, inMemoryStore, walkEntities, walkRows, type RowStore } from '@keepsake/core'
import { expect, it } from 'vitest'
import type { Activation } from '../../src/engine/activation.ts'
import { idle, testTime, worker, type TestTime } from './support.ts'

const ANSWER = 'the secret'

/** Entities and keys of the rows in which a raw scan finds one of the texts. */
async function traces(store: RowStore, ...texts: string[]): Promise<string[]> {
  const found: string[] = []
  for await (const entity of walkEntities(store)) {
    for await (const row of walkRows(store, entity)) {
      const all = entity + row.key + Buffer.from(row.rec).toString('latin1')
      if (texts.some((text) => all.includes(text))) found.push(entity + row.key)
    }
  }
  return found
}

/** An engine whose handler waits for an answer in a step, and then keeps it wherever it can. */
function waiting(time: TestTime, store: RowStore, longterm: RowStore, standsStill = false) {
  const answer = Promise.withResolvers<string>()
  const asked = Promise.withResolvers<void>()
  const still: TestTime = { ...time, seams: { ...time.seams, setTimer: () => () => undefined } }
  const engine = worker<null, string>(standsStill ? still : time, {
    store,
    longterm,
    async handler(a: Activation<null>) {
      await a.memory.put(['before'], ANSWER)
      const said = await a.step('ask', async () => {
        asked.resolve()
        return answer.promise
      })
      await a.memory.put(['after'], said)
      await a.longterm.put(['after'], said, { sources: ['somewhere'] })
      return said
    },
  })
  return { engine, asked: asked.promise, answer: () => answer.resolve(ANSWER) }
}

it.each([
  ['whose lease is renewed meanwhile', false],
  ['that stood still until its lease had run out', true],
])('erasing during a call leaves no trace of its answer: a worker %s', async (_, standsStill) => {
  const time = testTime()
  const [store, longterm] = [inMemoryStore(), inMemoryStore()]
  const { engine, asked, answer } = waiting(time, store, longterm, standsStill)
  const running = engine.activate({ entity: 'zoe', event: { id: 'e1', data: null } }).then(
    (outcome) => outcome.status,
    (error: { code: string }) => error.code,
  )
  await asked
  let passed: Promise<void> | undefined
  await eraseSubject([store, longterm], 'zoe', {
    graceMs: 30,
    clock: time.seams.clock,
    onProgress: ({ step }) => {
      if (step === 'wait') passed ??= time.advance(31_000)
    },
  })
  await passed
  answer()
  await idle()
  await time.advance(1000)
  expect(await running).toBe('conflict')
  expect(await traces(store, 'zoe', ANSWER)).toEqual([])
  expect(await traces(longterm, 'zoe', ANSWER)).toEqual([])
  await engine.close()
})

it('what waits in the inbox, asks, failed or was remembered goes, and the lists of work with it', async () => {
  const time = testTime()
  const [store, longterm] = [inMemoryStore(), inMemoryStore()]
  const engine = worker<{ does: string }, string>(time, {
    store,
    longterm,
    ttlMs: 1_000_000,
    async handler(a) {
      await a.memory.put(['fact'], ANSWER)
      await a.longterm.put(['fact'], ANSWER)
      if (a.event.data.does === 'fail') throw new Error(ANSWER)
      if (a.event.data.does === 'ask') await a.interrupt(ANSWER)
      return ANSWER
    },
  })
  const event = (id: string, does: string) => ({ id, data: { does } })
  for (const entity of ['zoe', 'bob']) {
    await engine.activate({ entity, event: event('e1', 'keep') })
    await engine.activate({ entity, event: event('e2', 'fail') })
    await engine.activate({ entity, event: event('e3', 'ask') })
    await engine.submit({ entity, event: event('e4', 'keep') })
  }
  await idle()
  expect((await traces(store, 'zoe')).length).toBeGreaterThan(8)
  const bobs = await traces(store, 'bob')
  const { counts } = await eraseSubject([store, longterm], 'zoe', { graceMs: 0, clock: time.seams.clock })
  expect(counts).toMatchObject({ commits: 1, inbox: 3, dead_letters: 2, expiry: 1, heads: 1, records: 1, directory: 2 })
  expect(await traces(store, 'zoe')).toEqual([])
  expect(await traces(longterm, 'zoe')).toEqual([])
  expect(await traces(store, 'bob')).toEqual(bobs)
  expect((await engine.deadLetters()).items.map(({ entity }) => entity)).toEqual(['bob'])
  // It may live again.
  expect(await engine.activate({ entity: 'zoe', event: event('e1', 'keep') })).toMatchObject({ replayed: false })
  await engine.close()
})

it('takes no events while it is being erased', async () => {
  const time = testTime()
  const store = inMemoryStore()
  const engine = worker<null, string>(time, { store, handler: async () => 'done' })
  await engine.activate({ entity: 'zoe', event: { id: 'e1', data: null } })
  const refused: unknown[] = []
  const code = (call: Promise<unknown>): void =>
    void refused.push(
      call.then(
        () => 'taken',
        (error: { code: string }) => error.code,
      ),
    )
  await eraseSubject(store, 'zoe', {
    graceMs: 30,
    clock: time.seams.clock,
    onProgress({ step }) {
      if (step !== 'wait') return
      code(engine.activate({ entity: 'zoe', event: { id: 'e2', data: null } }))
      code(engine.submit({ entity: 'zoe', event: { id: 'e3', data: null } }))
    },
  })
  expect(await Promise.all(refused)).toEqual(['conflict', 'conflict'])
  expect(await traces(store, 'zoe')).toEqual([])
  await engine.close()
})
