import type { JSONValue } from '@ai-sdk/provider'
import { inMemoryStore } from '@keepsake/core'
import { scriptedModel } from '@keepsake/store-testing'
import { describe, expect, it } from 'vitest'
import {
  dropOldestCompactor,
  summarizeCompactor,
  type Activation,
  type EngineOptions,
  type Outcome,
} from '../../src/index.ts'
import { testTime, worker } from './support.ts'

type Work = (a: Activation<null>) => Promise<unknown>

/** An engine whose events are functions: each event runs one. */
function remembering(options: Partial<EngineOptions<null, unknown>> = {}) {
  const works = new Map<string, Work>()
  const time = testTime()
  const store = inMemoryStore()
  const make = () => worker<null, unknown>(time, { store, handler: (a) => works.get(a.event.id)!(a), ...options })
  const engine = make()
  let events = 0
  async function run(work: Work, on: typeof engine = engine): Promise<Outcome<unknown>> {
    const id = `e${++events}`
    works.set(id, work)
    return on.activate({ entity: 'ada', event: { id, data: null } })
  }
  async function outputOf(work: Work, on?: typeof engine): Promise<unknown> {
    const outcome = await run(work, on)
    if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome))
    return outcome.output
  }
  return { run, outputOf, time, store, make }
}

const KB = 'x'.repeat(1_000)
const kilobytes = (n: number): string => 'x'.repeat(n * 1_000)
const keysIn = async (a: Activation): Promise<string[]> => {
  const keys: string[] = []
  for await (const { key } of a.memory.list([])) keys.push(key.join('/'))
  return keys
}

it('what is written counts when the event is committed, and is there for the next, on any engine', async () => {
  const { run, outputOf, make } = remembering()
  await run(async (a) => {
    await a.memory.put(['a'], { n: 1 })
    await a.memory.append(['list'], 'one')
    await a.memory.append(['list'], 'two')
    for (let n = 0; n < 5; n++) await a.memory.ring(['ring'], n, { size: 3 })
    expect((await a.memory.get(['a']))?.value).toEqual({ n: 1 })
  })
  await run(async (a) => {
    await a.memory.put(['a'], { n: 2 })
    await a.memory.delete(['list'])
    throw new Error('and fails')
  })
  const look: Work = async (a) => (await a.memory.list([])).items.map(({ key, value }) => [key, value])
  const expected = [
    [['a'], { n: 1 }],
    [['list'], ['one', 'two']],
    [['ring'], [2, 3, 4]],
  ]
  expect(await outputOf(look)).toEqual(expected)
  expect(await outputOf(look, make())).toEqual(expected)
})

it('it is records: versions, conditions, updates, lists, search, time to live', async () => {
  const { outputOf, time } = remembering()
  expect(
    await outputOf(async ({ memory }) => {
      const first = (await memory.put(['n', 'a'], 1))!
      const refused = await memory.put(['n', 'a'], 2, { ifVersion: null })
      const second = (await memory.put(['n', 'a'], 2, { ifVersion: first.version }))!
      await memory.update(['n', 'a'], (value) => Number(value) + 10)
      await memory.put(['n', 'b'], 'tea with milk', { ttlMs: 1_000 })
      await memory.put(['m', 'c'], 'coffee')
      return {
        grows: second.version > first.version,
        refused: refused === undefined,
        value: (await memory.get(['n', 'a']))?.value,
        found: (await memory.search([], 'milk')).items.map(({ key }) => key),
        prefixes: (await memory.prefixes([])).items,
        deleted: await memory.delete(['m', 'c']),
        again: await memory.delete(['m', 'c']),
        many: (
          await memory.getMany([
            ['m', 'c'],
            ['n', 'a'],
          ])
        ).map((entry) => entry?.value ?? null),
      }
    }),
  ).toEqual({
    grows: true,
    refused: true,
    value: 12,
    found: [['n', 'b']],
    prefixes: [['m'], ['n']],
    deleted: true,
    again: false,
    many: [null, 12],
  })
  await time.advance(1_000)
  expect(await outputOf(keysIn)).toEqual(['n/a'])
})

it('what append and ring cannot add to is said', async () => {
  const { run } = remembering()
  const failed = await run(async ({ memory }) => {
    await memory.put(['text'], 'not a list')
    await memory.append(['text'], 1)
  })
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'invalid_value' } })
  expect(await run(async ({ memory }) => memory.ring(['r'], 1, { size: 0 }))).toMatchObject({
    error: { message: expect.stringContaining('size must be a whole number from 1') as string },
  })
  expect(await run(async ({ memory }) => memory.put(['__keepsake__', 'x'], 1))).toMatchObject({
    error: { code: 'invalid_key' },
  })
})

it('survives many changes beside large entries: snapshots and what changed since give the same', async () => {
  const { outputOf, make } = remembering()
  const expected = new Map<string, JSONValue>()
  for (let turn = 0; turn < 40; turn++) {
    await outputOf(async ({ memory }) => {
      for (let n = 0; n < 4; n++) {
        const key = `k${(turn * 7 + n * 3) % 23}`
        const value = `${turn}-${n}-${KB.repeat((turn + n) % 6)}`
        await memory.put([key], value)
        expected.set(key, value)
      }
      const gone = `k${(turn * 5) % 23}`
      await memory.delete([gone])
      expected.delete(gone)
    }, make())
  }
  const found = await outputOf(async ({ memory }) => {
    const all: [string, JSONValue][] = []
    for await (const { key, value } of memory.list([])) all.push([key[0]!, value])
    return all
  })
  expect(new Map(found as [string, JSONValue][])).toEqual(expected)
})

describe('when it gets full', () => {
  it('a write beyond 768 KiB evicts what was used least recently, down to 512 KiB, and reads count as uses', async () => {
    const { outputOf } = remembering()
    await outputOf(async (a) => {
      for (let n = 0; n < 7; n++) await a.memory.put([`k${n}`], kilobytes(100))
    })
    const kept = await outputOf(async (a) => {
      await a.memory.get(['k0'])
      await a.memory.put(['k7'], kilobytes(100))
      return (await a.memory.getMany([0, 1, 2, 3, 4, 5, 6, 7].map((n) => [`k${n}`]))).map(
        (entry) => entry !== undefined,
      )
    })
    // 800,000 bytes: three of the oldest go to come below 524,288, and k0 was just read.
    expect(kept).toEqual([true, false, false, false, true, true, true, true])
  })

  it('protected entries stay, and where nothing else is left the write is refused and nothing evicted', async () => {
    const { outputOf, run } = remembering({ compactor: dropOldestCompactor({ protectedPrefixes: ['plan/'] }) })
    await outputOf(async (a) => {
      for (let n = 0; n < 7; n++) await a.memory.put(['plan', String(n)], kilobytes(100))
      await a.memory.put(['other'], kilobytes(10))
    })
    const failed = await run(async (a) => a.memory.put(['new'], kilobytes(400)))
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'too_large' } })
    expect((failed as { error: { message: string } }).error.message).toContain('MemoryOverflow')
    expect(await outputOf(keysIn)).toHaveLength(8)
  })

  it('strict refuses what does not fit, with the figures, and holds up to 1 MiB', async () => {
    const { outputOf } = remembering({ compactor: null })
    const details = await outputOf(async (a) => {
      for (let n = 0; n < 10; n++) await a.memory.put([`k${n}`], kilobytes(100))
      try {
        await a.memory.put(['k10'], kilobytes(100))
        return 'it fitted'
      } catch (error) {
        return (error as { details: JSONValue }).details
      }
    })
    expect(details).toMatchObject({ reason: 'memory_overflow', maxBytes: 1_048_576 })
    expect((details as { bytes: number }).bytes).toBeGreaterThan(1_100_000)
    expect(await outputOf(keysIn)).toHaveLength(10)
  })

  const summarizer = (answer: (items: readonly JSONValue[], prior: JSONValue | undefined) => string) =>
    summarizeCompactor({
      sourceKeys: [['log']],
      summaryKey: ['summary'],
      keepRecent: 2,
      triggerBytes: 5_000,
      buildRequest: (items, prior) => ({
        prompt: [{ role: 'user', content: [{ type: 'text', text: answer(items, prior) }] }],
      }),
      extractSummary: ({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    })

  /** A model that says what it was asked. */
  const echo = () =>
    scriptedModel(({ prompt }) => {
      const [message] = prompt
      const [part] = message!.content as { text: string }[]
      return part!.text
    })

  it('a summarizer folds the older items and the summary before, by one journaled call', async () => {
    const model = echo()
    const { outputOf, run } = remembering({
      model,
      summarizer: summarizer((items, prior) => `${typeof prior === 'string' ? prior : ''}${items.length},`),
    })
    await outputOf(async (a) => {
      for (let n = 0; n < 4; n++) await a.memory.append(['log'], `${n}${KB}`)
    })
    expect(model.calls).toHaveLength(0)
    await outputOf(async (a) => a.memory.append(['log'], `4${KB}`).then(() => null))
    expect(model.calls).toHaveLength(1)
    const look: Work = async ({ memory }) => ({
      log: ((await memory.get(['log']))!.value as string[]).map((item) => item[0]),
      summary: (await memory.get(['summary']))!.value,
    })
    expect(await outputOf(look)).toEqual({ log: ['3', '4'], summary: '3,' })
    await run(async (a) => {
      for (let n = 5; n < 9; n++) await a.memory.append(['log'], `${n}${KB}`)
    })
    expect(await outputOf(look)).toEqual({ log: ['7', '8'], summary: '3,4,' })
  })

  it('a summary that does not shrink fails the event, and nothing of it is committed', async () => {
    const { outputOf, run } = remembering({ model: echo(), summarizer: summarizer(() => KB.repeat(10)) })
    const failed = await run(async (a) => {
      for (let n = 0; n < 6; n++) await a.memory.append(['log'], KB)
    })
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'too_large' } })
    expect((failed as { error: { message: string } }).error.message).toContain('summary_did_not_shrink')
    expect(await outputOf(keysIn)).toEqual([])
  })

  it('with a summarizer nothing is evicted below the hard cap', async () => {
    const { outputOf } = remembering({
      model: echo(),
      summarizer: summarizeCompactor({
        sourceKeys: [['log']],
        summaryKey: ['summary'],
        buildRequest: () => ({ prompt: [] }),
        extractSummary: () => '',
      }),
    })
    await outputOf(async (a) => {
      for (let n = 0; n < 10; n++) await a.memory.put([`k${n}`], kilobytes(100))
    })
    expect(await outputOf(keysIn)).toHaveLength(10)
    await outputOf(async (a) => a.memory.put(['k10'], kilobytes(100)).then(() => null))
    expect(await outputOf(keysIn)).toHaveLength(5)
  })
})
