import { expectEqual, expectError } from '../expect.ts'
import { found, searchCasesOf, type SearchIndexCase } from './search-index-case.ts'

const space = { model: 'test', dims: 3 }

/** Documents whose vectors are known. */
const documents = [
  { id: 'north', text: 'alpha', vectors: [[0, 1, 0]] },
  { id: 'east', text: 'beta', vectors: [[5, 0, 0]] },
  {
    id: 'both',
    text: 'gamma',
    vectors: [
      [0, 0, 1],
      [0.1, 0.9, 0],
    ],
  },
  { id: 'nowhere', text: 'delta', vectors: [[0, 0, 0]] },
  { id: 'words', text: 'epsilon alpha' },
]

export const vectorCases: SearchIndexCase[] = searchCasesOf('vectors', [
  [
    'finds by the nearest of the vectors, whatever their lengths, where words say nothing',
    async ({ open, scope }) => {
      await using index = await open('vectors')
      await index.open(space)
      await index.index(scope(), documents)
      expectEqual(await found(index, scope(), 'zebra', { vector: [0, 2, 0] }), ['north', 'both'], 'north')
      expectEqual((await found(index, scope(), 'zebra', { vector: [1, 0, 0] }))[0], 'east', 'east')
      expectEqual(await found(index, scope(), 'zebra', { vector: [0, 0, 0] }), [], 'nowhere')
      expectEqual((await found(index, scope(), 'epsilon', { vector: [1, 0, 0] }))[0], 'words', 'words first')
    },
  ],

  [
    'words and vectors add up',
    async ({ open, scope }) => {
      await using index = await open('vectors')
      await index.open(space)
      await index.index(scope(), [
        { id: 'a', text: 'harbour', vectors: [[1, 0, 0]] },
        { id: 'b', text: 'harbour', vectors: [[0, 1, 0]] },
        { id: 'c', text: 'station', vectors: [[0, 1, 0]] },
      ])
      expectEqual(await found(index, scope(), 'harbour', { vector: [0, 1, 0] }), ['b', 'a', 'c'], 'found')
      expectEqual(await found(index, scope(), 'harbour'), ['a', 'b'], 'by words alone')
    },
  ],

  [
    'vectors go with their documents: replaced, removed and filtered',
    async ({ open, scope }) => {
      await using index = await open('vectors')
      await index.open(space)
      await index.index(
        scope(),
        documents.map((document) => ({ ...document, value: { id: document.id } })),
      )
      await index.index(scope(), [{ id: 'north', text: 'alpha', vectors: [[0, -1, 0]] }])
      await index.remove(scope(), [{ id: 'both' }])
      expectEqual(await found(index, scope(), 'zebra', { vector: [0, 1, 0] }), [], 'north')
      expectEqual(await found(index, scope(), 'zebra', { vector: [1, 0, 0], filter: { id: 'words' } }), [], 'filtered')
      expectEqual(await found(index, scope(), 'zebra', { vector: [1, 0, 0], prefix: 'n' }), [], 'prefixed')
    },
  ],

  [
    'says by which model its vectors are; what was indexed before that is built again',
    async ({ open, scope }) => {
      await using index = await open('vectors')
      await index.open()
      expectEqual(await index.space(), undefined, 'space')
      await index.index(scope(), [{ id: 'a', text: 'alpha', seq: 1 }])
      await index.markBuilt(scope())
      await index.open(space)
      expectEqual(await index.space(), space, 'space')
      expectEqual([await index.isBuilt(scope()), (await index.versions(scope())).size], [false, 0], 'built')
      await index.index(scope(), documents)
      await index.open(space)
      expectEqual((await index.versions(scope())).size, documents.length, 'versions')
    },
  ],

  [
    'another model, or vectors of another size, is found when it is opened, and both are named',
    async ({ open, scope }) => {
      await using index = await open('vectors')
      await index.open(space)
      await index.index(scope(), documents)
      for (const other of [
        { model: 'test', dims: 4 },
        { model: 'another', dims: 3 },
      ]) {
        await using again = await open('vectors')
        const error = await expectError(again.open(other), 'invalid_value', 'opened')
        const named = [`${space.model} with ${space.dims}`, `${other.model} with ${other.dims}`]
        expectEqual(
          named.every((name) => error.message.includes(name)),
          true,
          error.message,
        )
      }
      await using again = await open('vectors')
      await again.open(space)
      expectEqual((await found(again, scope(), 'zebra', { vector: [1, 0, 0] }))[0], 'east', 'the same model')
      await again.reset()
      await again.open({ model: 'another', dims: 4 })
      expectEqual(await found(again, scope(), 'alpha'), [], 'after reset')
      await again.index(scope(), [{ id: 'x', text: '', vectors: [[0, 0, 0, 1]] }])
      expectEqual(await found(again, scope(), 'zebra', { vector: [0, 0, 0, 1] }), ['x'], 'one alone')
    },
  ],

  [
    'a vector of the wrong size or with no number is refused before anything is indexed',
    async ({ open, scope }) => {
      await using index = await open('vectors')
      await index.open(space)
      const good = { id: 'good', text: 'good', vectors: [[1, 2, 3]] }
      for (const vector of [[1, 2], [1, 2, 3, 4], [1, 2, Number.NaN], [1, 2, Infinity], 'abc' as unknown as number[]]) {
        const bad = { id: 'bad', text: 'bad', vectors: [vector] }
        await expectError(index.index(scope(), [good, bad]), 'invalid_value', JSON.stringify(vector))
        await expectError(index.query(scope(), { text: 'x', limit: 1, vector }), 'invalid_value', 'query')
      }
      expectEqual([...(await index.versions(scope()))], [], 'versions')
    },
  ],
])
