import { inMemoryStore, type RowStore } from '@keepsake/core'
import { scriptedModel } from '@keepsake/store-testing'
import { describe, expect, it } from 'vitest'
import type { Activation, Engine } from '../../src/index.ts'
import { idle, testTime, watched, worker } from './support.ts'

const request = { prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }] }

/** An engine on a store whose calls are counted: `[writes, reads]`, without those that found an empty shard. */
function counted(
  atomicBatch: boolean,
  handler: (a: Activation<string>) => Promise<unknown>,
): { engine: Engine<string, unknown>; cost: (work: () => Promise<unknown>) => Promise<[number, number]> } {
  let calls: string[] = []
  const inner = inMemoryStore()
  const outer = watched(inner, {
    limits: { atomicBatch },
    before: ({ method }) => void calls.push(method),
  })
  // A shard without work is looked at by the thousand; what the table counts is the one that has some.
  const store: RowStore = {
    ...outer,
    async scan(entity, range, options) {
      const found = await inner.scan(entity, range, options)
      if (found.length === 0 && entity.startsWith('work')) return found
      return outer.scan(entity, range, options)
    },
  }
  const engine = worker(testTime(), { store, model: scriptedModel(() => 'Hi.'), longterm: store, handler })
  return {
    engine,
    async cost(work) {
      calls = []
      await work()
      const count = [
        calls.filter((method) => method === 'write' || method === 'remove').length,
        calls.filter((method) => method === 'load' || method === 'scan').length,
      ] as [number, number]
      await idle()
      return count
    },
  }
}

async function warm(engine: Engine<string, unknown>): Promise<void> {
  for (const id of ['w1', 'w2']) await engine.activate({ entity: 'ada', event: { id, data: '' } })
  await idle()
}

const deliver = (engine: Engine<string, unknown>, id: string) => async () => {
  expect(await engine.activate({ entity: 'ada', event: { id, data: '' } })).toMatchObject({ status: 'completed' })
}

/** The clean-up of a claim reads and removes in the background: it begins after the claim, and is counted apart. */
async function withoutCleanUp(
  atomicBatch: boolean,
  handler: (a: Activation<string>) => Promise<unknown>,
  use: (c: ReturnType<typeof counted>) => Promise<[number, number]>,
): Promise<[number, number]> {
  const full = counted(atomicBatch, handler)
  await warm(full.engine)
  return use(full)
}

describe.each([
  { atomicBatch: true, oneCall: [3, 2], threeCalls: [5, 2], plan: [5, 3], work: [5, 6] },
  { atomicBatch: false, oneCall: [5, 2], threeCalls: [7, 2], plan: [7, 3], work: [7, 6] },
])('store calls of an event, atomicBatch $atomicBatch', ({ atomicBatch, oneCall, threeCalls, plan, work }) => {
  // [writes, reads] of the clean-up that follows the claim: scans of j, c and w, one load, one remove of the journal.
  const cleanUp = [1, 4]
  const and = (cost: readonly number[]): number[] => cost.map((n, index) => n + cleanUp[index]!)

  it('one model call', async () => {
    const cost = await withoutCleanUp(
      atomicBatch,
      async (a) => void (await a.callModel(request)),
      ({ engine, cost: of }) => of(deliver(engine, 'e1')),
    )
    expect(cost).toEqual(and(oneCall))
  })

  it('three model calls', async () => {
    const cost = await withoutCleanUp(
      atomicBatch,
      async (a) => {
        for (let call = 0; call < 3; call++) await a.callModel(request)
      },
      ({ engine, cost: of }) => of(deliver(engine, 'e1')),
    )
    expect(cost).toEqual(and(threeCalls))
  })

  it('one model call and a long-term write', async () => {
    const cost = await withoutCleanUp(
      atomicBatch,
      async (a) => {
        await a.callModel(request)
        await a.longterm.put(['fact'], a.event.id)
      },
      ({ engine, cost: of }) => of(deliver(engine, 'e1')),
    )
    expect(cost).toEqual(and(plan))
  })

  it('working memory costs nothing more', async () => {
    const cost = await withoutCleanUp(
      atomicBatch,
      async (a) => {
        await a.callModel(request)
        await a.memory.append(['seen'], a.event.id)
      },
      ({ engine, cost: of }) => of(deliver(engine, 'e1')),
    )
    expect(cost).toEqual(and(oneCall))
  })

  it('a duplicate of the last event', async () => {
    const cost = await withoutCleanUp(
      atomicBatch,
      async (a) => void (await a.callModel(request)),
      ({ engine, cost: of }) => of(deliver(engine, 'w2')),
    )
    expect(cost).toEqual([0, 2])
  })

  it('submit, then work', async () => {
    const { engine, cost } = counted(atomicBatch, async (a) => void (await a.callModel(request)))
    await warm(engine)
    await engine.submit({ entity: 'ada', event: { id: 'w3', data: '' } })
    const stop = new AbortController()
    await Promise.all([engine.work({ signal: stop.signal }), idle().then(() => stop.abort())])
    expect(await cost(() => engine.submit({ entity: 'ada', event: { id: 'e1', data: '' } }))).toEqual([2, 1])
    const again = new AbortController()
    const spent = await cost(() =>
      Promise.all([engine.work({ signal: again.signal }), idle().then(() => again.abort())]),
    )
    expect(spent).toEqual(and(work))
  })
})
