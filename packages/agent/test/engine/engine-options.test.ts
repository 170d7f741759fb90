import { inMemoryStore, KeepsakeError, type RowStore } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createEngine,
  dropOldestCompactor,
  flushToLongterm,
  summarizeCompactor,
  type EngineOptions,
} from '../../src/index.ts'
import { rejection, rowsOf } from '../support.ts'
import { testTime, worker } from './support.ts'

const store = inMemoryStore()
const handler = async (): Promise<null> => null

describe('createEngine refuses', () => {
  it.each<[string, unknown, string]>([
    ['no options', undefined, 'The options of createEngine must be an object; it is undefined.'],
    ['an unknown option', { store, handler, longTerm: store }, 'createEngine: there is no option "longTerm".'],
    ['no store', { handler }, 'store must be a RowStore'],
    ['a promise of a store', { handler, store: Promise.resolve(store) }, 'store must be a RowStore'],
    ['no handler', { store }, 'handler must be a function; it is undefined.'],
    ['a schema that is none', { store, handler, event: {} }, 'event must be a Standard Schema'],
    ['a model that is a name', { store, handler, model: 'gpt-5' }, 'model must be a LanguageModelV4'],
    ['a long-term store that is none', { store, handler, longterm: 5 }, 'longterm must be a RowStore'],
    ['an address that is none', { store, handler, longterm: 'redis:' }, 'This is no redis: address.'],
    [
      'onExpire without longterm',
      { store, handler, onExpire: flushToLongterm() },
      'onExpire writes to long-term memory, and createEngine was given no longterm',
    ],
    ['an onExpire of its own', { store, handler, longterm: store, onExpire: { name: 'mine' } }, 'onExpire must be one'],
    ['a compactor of its own', { store, handler, compactor: { name: 'mine' } }, 'compactor must be one that'],
    ['a summarizer that drops', { store, handler, summarizer: dropOldestCompactor() }, 'summarizer must be one that'],
    ['no time', { store, handler, timeoutMs: 0 }, 'timeoutMs must be a whole number of milliseconds from 1'],
    ['half a millisecond', { store, handler, leaseMs: 1.5 }, 'leaseMs must be a whole number of milliseconds'],
    ['a time that timers do not take', { store, handler, timeoutMs: 2 ** 31 }, 'timeoutMs must be a whole number'],
    ['no life', { store, handler, ttlMs: 0 }, 'ttlMs must be a whole number of milliseconds from 1'],
    ['a subject that is no function', { store, handler, subject: 'ada' }, 'subject must be a function'],
  ])('%s', (_what, options, message) => {
    expect(() => createEngine(options as EngineOptions<unknown, unknown>)).toThrow(message)
  })

  it('and so do the compactors and the flush', () => {
    expect(() => dropOldestCompactor({ targetBytes: -1 })).toThrow('targetBytes must be a whole number of bytes')
    expect(() => dropOldestCompactor({ protectedPrefixes: 'plan/' as never })).toThrow('protectedPrefixes must be')
    expect(() => flushToLongterm({ key: [] })).toThrow('key must be a key')
    expect(() => flushToLongterm({ timeoutMs: 0 })).toThrow('timeoutMs must be a whole number')
    expect(() => summarizeCompactor({} as never)).toThrow('buildRequest must be a function')
    const functions = { buildRequest: () => ({ prompt: [] }), extractSummary: () => '' }
    expect(() => summarizeCompactor({ ...functions, sourceKeys: [], summaryKey: ['s'] })).toThrow('sourceKeys must be')
    expect(() => summarizeCompactor({ ...functions, sourceKeys: [['l']], summaryKey: 's' as never })).toThrow(
      'summaryKey must be a key',
    )
  })
})

describe('bad input', () => {
  it.each<[string, unknown, string]>([
    ['no event', { entity: 'ada' }, 'event must be { id, data }'],
    ['no entity', { event: { id: 'e1', data: { n: 1 } } }, 'entity must be a text; it is undefined.'],
    ['an empty entity', { entity: '', event: { id: 'e1', data: { n: 1 } } }, 'entity must be a text; it is empty.'],
    ['half a character', { entity: '\ud800', event: { id: 'e1', data: { n: 1 } } }, 'entity must be a text'],
    ['no id', { entity: 'ada', event: { data: { n: 1 } } }, 'event.id must be a text'],
    ['a long id', { entity: 'ada', event: { id: 'x'.repeat(1_100), data: { n: 1 } } }, 'entity and event.id'],
    ['a long entity', { entity: 'x'.repeat(510), event: { id: 'e1', data: { n: 1 } } }, 'at most 512 are allowed'],
    ['other data', { entity: 'ada', event: { id: 'e1', data: { n: 'one' } } }, 'event.data does not fit its schema'],
    [
      'data that cannot be stored',
      { entity: 'ada', event: { id: 'e1', data: { n: 1, at: new Date() } } },
      'event.data.at',
    ],
    ['large data', { entity: 'ada', event: { id: 'e1', data: { n: 1, at: 'x'.repeat(4_200_000) } } }, 'The event has'],
  ])('%s is refused before anything is written, submitted or activated', async (_what, event, message) => {
    const inner = inMemoryStore()
    const schema = z.looseObject({ n: z.number() })
    const engine = worker<{ n: number }, null>(testTime(), { store: inner, handler, event: schema })
    for (const call of ['submit', 'activate'] as const) {
      expect((await rejection(engine[call](event as never))).message).toContain(message)
    }
    expect(await rowsOf(inner)).toEqual([])
  })

  it('the schema transforms what is stored, once', async () => {
    const schema = z.object({ n: z.coerce.number() }).transform(({ n }) => ({ n: n + 1 }))
    const engine = createEngine<unknown, unknown>({
      store: inMemoryStore(),
      event: schema,
      handler: async (a) => a.event.data,
    })
    expect(await engine.activate({ entity: 'ada', event: { id: 'e1', data: { n: '1' } } })).toMatchObject({
      output: { n: 2 },
    })
  })

  it('what the handler returns has to be storable and to fit', async () => {
    const engine = worker<unknown, unknown>(testTime(), {
      store: inMemoryStore(),
      handler: async ({ event }) => (event.id === 'large' ? 'x'.repeat(4_200_000) : { at: new Date() }),
    })
    expect(await engine.activate({ entity: 'ada', event: { id: 'date', data: null } })).toMatchObject({
      error: { code: 'invalid_value', message: expect.stringContaining('What the handler returned.at') as string },
    })
    expect(await engine.activate({ entity: 'ada', event: { id: 'large', data: null } })).toMatchObject({
      error: { code: 'too_large' },
    })
  })
})

it('whose data it is is written down before the first row', async () => {
  const order: string[] = []
  const inner = inMemoryStore()
  const noting: RowStore = {
    ...inner,
    async write(rows, options) {
      order.push(...rows.map(({ entity }) => entity.split('\u0001').slice(0, 2).join(' ')))
      return inner.write(rows, options)
    },
  }
  const engine = worker<{ who: string }, null>(testTime(), {
    store: noting,
    handler,
    subject: ({ entity, data }) => `${data.who} of ${entity}`,
  })
  await engine.activate({ entity: 'cart', event: { id: 'e1', data: { who: 'ada' } } })
  expect(order[0]).toBe('subject ada of cart')
  expect(order[1]).toBe('entity cart')
})

it('an entity that was erased takes no events', async () => {
  const inner = inMemoryStore()
  const engine = worker<null, null>(testTime(), { store: inner, handler })
  await engine.activate({ entity: 'ada', event: { id: 'e1', data: null } })
  const { headRow, readHead } = await import('../../src/engine/rows/head.ts')
  const entity = 'entity\u0001ada\u0001'
  const [row] = await inner.load([{ entity, key: 'h\u0001' }])
  const { version } = readHead(row)
  const erased = headRow(
    entity,
    { lastS: 0, cleanS: 0, erased: true },
    { over: version, seq: version + 1, nowMs: 0, writeId: 'x' },
  )
  await inner.write([erased])
  const error = await rejection(engine.activate({ entity: 'ada', event: { id: 'e2', data: null } }))
  expect(error).toMatchObject({ code: 'conflict' })
  expect(KeepsakeError.isInstance(error)).toBe(true)
})
