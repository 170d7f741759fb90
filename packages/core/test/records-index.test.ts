import type { EmbeddingModelV4 } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import {
  inMemoryStore,
  inProcessIndex,
  records,
  reindexRecords,
  type RowStore,
  type SearchIndex,
} from '../src/index.ts'

/** Embeds a text as how often it says "a" and "b". */
function counting(change: Partial<EmbeddingModelV4> = {}): EmbeddingModelV4 & { asked: string[][] } {
  const asked: string[][] = []
  return {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'counting',
    maxEmbeddingsPerCall: 3,
    supportsParallelCalls: true,
    asked,
    async doEmbed({ values }) {
      asked.push(values)
      return {
        embeddings: values.map((text) => ['a', 'b'].map((letter) => text.split(letter).length - 1)),
        warnings: [],
      }
    },
    ...change,
  }
}

describe('records with an index', () => {
  it('embed in as many calls as the model needs, a long text in pieces', async () => {
    const embed = counting()
    const notes = records<string>(inMemoryStore(), 'ada', { index: { embed, dims: 2 } })
    await notes.putMany(['a', 'b', 'aa', 'bb'].map((value) => ({ key: [value], value })))
    expect(embed.asked).toEqual([['a', 'b', 'aa'], ['bb']])
    await notes.put(['long'], `${'x '.repeat(1_500)}b b b`)
    expect(embed.asked.slice(2)).toEqual([[`x ${'x '.repeat(998)}x`, ` ${'x '.repeat(500)}b b b`]])
  })

  it('find by the part of a long text that is about it', async () => {
    const notes = records<string>(inMemoryStore(), 'ada', { index: { embed: counting(), dims: 2 } })
    await notes.put(['long'], `${'a '.repeat(1_000)}${'b '.repeat(1_000)}`)
    await notes.put(['mixed'], 'ab ab ab')
    const { items } = await notes.search([], 'bbb')
    expect(items[0]!.key).toEqual(['long'])
  })

  it.each<[what: string, change: Partial<EmbeddingModelV4>, code: string, message: string]>([
    ['fails', { doEmbed: () => Promise.reject(new Error('no quota')) }, 'unavailable', 'could not follow'],
    ['gives too few', { doEmbed: async () => ({ embeddings: [], warnings: [] }) }, 'unavailable', 'could not follow'],
    [
      'gives other sizes',
      { doEmbed: async () => ({ embeddings: [[1]], warnings: [] }) },
      'unavailable',
      'could not follow',
    ],
  ])(
    'say so when the model %s; the record is stored, and found once it is indexed',
    async (_, change, code, message) => {
      const store = inMemoryStore()
      const search = inProcessIndex()
      const broken = records<string>(store, 'ada', { index: { search, embed: counting(change), dims: 2 } })
      await expect(broken.put(['x'], 'apple')).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message) as string,
      })
      const index = { search, embed: counting(), dims: 2 }
      expect(await reindexRecords(store, 'ada', { index })).toBe(1)
      expect((await records<string>(store, 'ada', { index }).search([], 'apple')).items).toHaveLength(1)
    },
  )

  it('write nothing when the index cannot be opened', async () => {
    const store = inMemoryStore()
    const search: SearchIndex = { ...inProcessIndex(), open: () => Promise.reject(new Error('down')) }
    await expect(records<string>(store, 'ada', { index: search }).put(['x'], 'apple')).rejects.toThrow('down')
    expect(await store.entities({ limit: 10 })).toEqual([])
  })

  it('keep a background index from bringing back what was deleted meanwhile', async () => {
    const store = inMemoryStore()
    const search = inProcessIndex()
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    const { promise: asked, resolve: asks } = Promise.withResolvers<void>()
    const slow = counting()
    const embed = counting({
      async doEmbed(options) {
        asks()
        await held
        return slow.doEmbed(options)
      },
    })
    const index = { search, embed, dims: 2 }
    const notes = records<string>(store, 'ada', { index })
    const putting = notes.put(['x'], 'apple')
    await asked
    await notes.delete(['x'])
    letGo()
    await putting
    expect((await search.versions('owner\u0001ada\u0001r\u0001')).size).toBe(0)
    expect((await notes.search([], 'apple')).items).toEqual([])
  })

  it('read what a value knows about itself where they are told to', async () => {
    const index = { about: { speaker: 'from.name', session: 'thread' }, fields: ['body'] }
    const notes = records<object>(inMemoryStore(), 'ada', { index })
    await notes.put(['1'], { body: 'I bought a boat', from: { name: 'Ann' }, thread: 't' })
    await notes.put(['2'], { body: 'I bought a boat', from: { name: 'Bob' }, thread: 'u' })
    const { items } = await notes.search([], "Bob's boat")
    expect(items.map(({ key }) => key[0])).toEqual(['2', '1'])
  })

  it.each<[index: unknown, message: string]>([
    ['fts', 'index must be a search index'],
    [null, 'index must be a search index'],
    [{ search: {} }, 'index.search must be a search index'],
    [{ embed: {}, dims: 2 }, 'index.embed must be an embedding model'],
    [{ embed: counting() }, 'index.dims must say how many numbers a vector of counting has'],
    [{ embed: counting(), dims: 1.5 }, 'index.dims must say'],
    [{ dims: 2 }, 'index.dims means nothing without embed'],
    [{ fields: 'text' }, 'index.fields must be a list of paths'],
    [{ fields: [''] }, 'index.fields must be a list of paths'],
    [{ about: { author: 'x' } }, 'index.about.author is not known'],
    [{ about: { role: 7 } }, 'index.about.role must be a path'],
  ])('refuse the index %j', (index, message) => {
    expect(() => records(inMemoryStore(), 'ada', { index: index as never })).toThrow(message)
  })

  it('are built for all who ask, though the first of them gives up', async () => {
    const plain = inMemoryStore()
    await records(plain, 'ada').put(['x'], 'apple')
    const [scanning, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const store: RowStore = {
      ...plain,
      async scan(entity, range, options) {
        scanning.resolve()
        await going.promise
        return plain.scan(entity, range, options)
      },
    }
    const notes = records<string>(store, 'ada', { index: inProcessIndex() })
    const gaveUp = new AbortController()
    const search = async (signal?: AbortSignal) => (await notes.search([], 'apple', { signal })).items.length
    const first = search(gaveUp.signal)
    await scanning.promise
    const second = search()
    gaveUp.abort()
    await expect(first).rejects.toMatchObject({ code: 'aborted' })
    going.resolve()
    expect(await second).toBe(1)
  })

  it('refuse wrong options of a search and of a put', async () => {
    const notes = records<string>(inMemoryStore(), 'ada', { index: inProcessIndex() })
    expect(() => notes.search([], 'x', { recency: { weight: -1, halfLifeMs: 1 } })).toThrow('recency.weight')
    expect(() => notes.search([], 'x', { recency: null as never })).toThrow('recency must be { weight')
    expect(() => notes.search([], 'x', { limit: 0 })).toThrow('limit')
    await expect(notes.put(['x'], 'y', { index: true as never })).rejects.toThrow('index must be a list of paths')
    await expect(Promise.resolve(notes.search([], 'x', { cursor: 'abc' }))).rejects.toMatchObject({
      code: 'invalid_value',
    })
    await expect(reindexRecords(inMemoryStore(), 'ada', {})).rejects.toThrow('index is missing')
  })
})
