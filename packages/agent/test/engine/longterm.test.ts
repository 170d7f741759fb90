import type { JSONValue } from '@ai-sdk/provider'
import { inMemoryStore, records, type RowStore } from '@keepsake/core'
import { expect, it } from 'vitest'
import type { Activation, EngineOptions } from '../../src/index.ts'
import { rejection } from '../support.ts'
import { testTime, watched, worker } from './support.ts'

/** Runs one handler as one event with long-term memory in `longterm`. */
function lasting(longterm: RowStore = inMemoryStore(), options: Partial<EngineOptions<null, unknown>> = {}) {
  let work: (a: Activation<null>) => Promise<unknown>
  const engine = worker<null, unknown>(testTime(), {
    store: inMemoryStore(),
    longterm,
    handler: (a) => work(a),
    ...options,
  })
  let events = 0
  return {
    engine,
    longterm,
    outputOf: async (next: (a: Activation<null>) => Promise<unknown>): Promise<unknown> => {
      work = next
      const outcome = await engine.activate({ entity: 'ada', event: { id: `e${++events}`, data: null } })
      if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome))
      return outcome.output
    },
  }
}

it('reads see what this event wrote, and nobody else does before it is committed', async () => {
  const { outputOf, longterm } = lasting()
  const outside = records(longterm, 'ada')
  await outside.put(['a'], 1)
  await outside.put(['b'], 2)
  expect(
    await outputOf(async (a) => {
      await a.longterm.put(['a'], 10)
      await a.longterm.put(['c'], 30)
      await a.longterm.delete(['b'])
      await a.longterm.update(['c'], (value) => Number(value) + 1)
      const seen = await a.longterm.getMany([['a'], ['b'], ['c']])
      const others = await outside.getMany([['a'], ['b'], ['c']])
      return [seen, others].map((entries) => entries.map((entry) => entry?.value ?? null))
    }),
  ).toEqual([
    [10, null, 31],
    [1, 2, null],
  ])
  expect((await outside.list([])).items.map(({ key, value }) => [key, value])).toEqual([
    [['a'], 10],
    [['c'], 31],
  ])
})

it('lists merge what is staged and what is stored, in order, and give exactly the limit where so many are', async () => {
  const { outputOf, longterm } = lasting()
  const outside = records(longterm, 'ada')
  for (let n = 0; n < 40; n += 2) await outside.put(['n', String(n).padStart(2, '0')], n)
  const listed = await outputOf(async (a) => {
    for (const n of [1, 3, 4, 17, 55]) await a.longterm.put(['n', String(n).padStart(2, '0')], n)
    for (const n of [0, 6, 8]) await a.longterm.delete(['n', String(n).padStart(2, '0')])
    const first = await a.longterm.list(['n'], { limit: 5 })
    const second = await a.longterm.list(['n'], { limit: 5, cursor: first.cursor! })
    const all: JSONValue[] = []
    for await (const { value } of a.longterm.list(['n'], { limit: 3 })) all.push(value)
    return [first.items.map(({ value }) => value), second.items.map(({ value }) => value), all]
  })
  const all = [1, 2, 3, 4, 10, 12, 14, 16, 17, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 55]
  expect(listed).toEqual([all.slice(0, 5), all.slice(5, 10), all])
})

it('conditions are looked at when the write is staged', async () => {
  const { outputOf, longterm } = lasting()
  const outside = records(longterm, 'ada')
  await outside.put(['a'], 1)
  expect(
    await outputOf(async (a) => {
      const made = await a.longterm.put(['a'], 2, { ifVersion: null })
      const read = await a.longterm.get(['a'])
      const written = await a.longterm.put(['a'], 3, { ifVersion: read!.version })
      const stale = await a.longterm.put(['a'], 4, { ifVersion: read!.version })
      return [made === undefined, written?.value ?? null, stale === undefined]
    }),
  ).toEqual([true, 3, true])
  expect((await outside.get(['a']))?.value).toBe(3)
})

it('an event that fails writes nothing', async () => {
  const { engine, longterm, outputOf } = lasting()
  const failing = outputOf(async (a) => {
    await a.longterm.put(['a'], 1)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await longterm.entities({ limit: 10 })).toEqual([])
  await engine.close()
})

it('a stamp is over what is stored, also where another clock is far ahead', async () => {
  const longterm = inMemoryStore()
  const future = records(longterm, 'ada', {
    clock: { nowMs: () => 0, newId: () => 'id', nextSeq: () => 2 ** 52 },
  })
  await future.put(['a'], 'from the future')
  const { outputOf } = lasting(longterm)
  await outputOf(async (a) => void (await a.longterm.put(['a'], 'now')))
  expect(await records(longterm, 'ada').get(['a'])).toMatchObject({ value: 'now', version: 2 ** 52 + 1 })
})

it('rows of an event go in one call after the decision', async () => {
  const calls: string[] = []
  const longterm = watched(inMemoryStore(), {
    before: ({ method, rows }) => void calls.push(`${method} ${rows.length}`),
  })
  const { outputOf } = lasting(longterm)
  await outputOf(async (a) => void (await a.longterm.put(['first'], 1)))
  calls.length = 0
  await outputOf(async (a) => {
    for (let n = 0; n < 10; n++) await a.longterm.put(['n', String(n)], n)
  })
  // The stored versions are read, then ten rows and the one that names the entity.
  expect(calls).toEqual(['load 0', 'write 11'])
})

it('without longterm its methods say which option is missing, and destructuring it is fine', async () => {
  const engine = worker<null, unknown>(testTime(), {
    store: inMemoryStore(),
    handler: async ({ longterm }) => {
      await longterm.put(['a'], 1)
    },
  })
  const outcome = await engine.activate({ entity: 'ada', event: { id: 'e1', data: null } })
  expect(outcome).toEqual({
    status: 'failed',
    error: {
      code: 'unsupported',
      message: 'This engine has no long-term memory: pass createEngine({ longterm }), a store or its URI.',
    },
  })
})

it('an address is checked when the engine is built, opened when it is used, and closed with the engine', async () => {
  const build = (longterm: string) => () =>
    worker(testTime(), { store: inMemoryStore(), longterm, handler: async () => null })
  expect(build('no address')).toThrow('A store URI begins with its scheme')
  expect(build('firestore://only-a-project')).toThrow('This is no firestore: address.')
  const { outputOf, engine } = lasting(undefined, { longterm: 'memory://' })
  await outputOf(async (a) => void (await a.longterm.put(['a'], 1)))
  expect(await outputOf(async (a) => (await a.longterm.get(['a']))!.value)).toBe(1)
  await engine.close()
  const unknown = lasting(undefined, { longterm: 'nosuch:thing' })
  const error = await rejection(unknown.outputOf(async (a) => void (await a.longterm.put(['a'], 1))))
  expect(error).toMatchObject({ code: 'unsupported' })
})

it('an address of a file is opened by @keepsake/open', async () => {
  const { outputOf, engine } = lasting(undefined, { longterm: 'sqlite::memory:' })
  await outputOf(async (a) => void (await a.longterm.put(['a'], 1)))
  expect(await outputOf(async (a) => (await a.longterm.get(['a']))!.value)).toBe(1)
  await engine.close()
})
