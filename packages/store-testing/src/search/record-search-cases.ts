import {
  createClock,
  inMemoryStore,
  records,
  reindexRecords,
  type Entry,
  type Listing,
  type Records,
} from '@keepsake/core'
import { expectEqual, expectError } from '../expect.ts'
import { testEmbedder } from '../test-embedder.ts'
import { searchCasesOf, type SearchIndexCase } from './search-index-case.ts'

interface Note {
  text: string
  n?: number
}

const texts = async (listing: Listing<Entry<Note>>): Promise<string[]> => {
  const { items } = await listing
  return items.map(({ value }) => value.text)
}

/** `count` notes of a kind, in a namespace. */
async function fill(notes: Records<Note>, count: number, text = (n: number) => `kite ${n}`): Promise<void> {
  await notes.putMany(
    Array.from({ length: count }, (_, n) => ({
      key: ['notes', String(n).padStart(4, '0')],
      value: { text: text(n), n },
    })),
  )
}

export const recordSearchCases: SearchIndexCase[] = searchCasesOf('records with an index', [
  [
    'follows every put, update and delete',
    async ({ index, scope }) => {
      const notes = records<Note>(inMemoryStore(), scope(), { index })
      await notes.put(['notes', 'a'], { text: 'The spare key is with Otto' })
      await notes.put(['notes', 'b'], { text: 'The garage is rented' })
      expectEqual(await texts(notes.search(['notes'], 'who has a spare key?')), ['The spare key is with Otto'], 'put')
      await notes.update(['notes', 'a'], () => ({ text: 'The spare key is under the stone' }))
      expectEqual(await texts(notes.search(['notes'], 'Otto')), [], 'updated')
      expectEqual(await texts(notes.search(['notes'], 'stones')), ['The spare key is under the stone'], 'updated')
      await notes.delete(['notes', 'a'])
      expectEqual(await texts(notes.search(['notes'], 'spare key')), [], 'deleted')
      await notes.put(['notes', 'a'], { text: 'No spare key any more' }, { ifVersion: null })
      expectEqual(await texts(notes.search(['notes'], 'spare key')), ['No spare key any more'], 'again')
      await notes.deleteAll(['notes'])
      expectEqual(await texts(notes.search(['notes'], 'garage key')), [], 'all deleted')
    },
  ],

  [
    'finds nothing that has expired, and nothing whose row is gone',
    async ({ index, scope }) => {
      let nowMs = 1_800_000_000_000
      const store = inMemoryStore()
      const notes = records<Note>(store, scope(), { index, clock: createClock({ nowMs: () => nowMs }) })
      await notes.put(['notes', 'a'], { text: 'kite red' }, { ttlMs: 1000 })
      await notes.put(['notes', 'b'], { text: 'kite blue' })
      await notes.put(['notes', 'c'], { text: 'kite green' })
      nowMs += 1000
      expectEqual(await texts(notes.search(['notes'], 'kite')), ['kite blue', 'kite green'], 'expired')
      for (const entity of await store.entities({ limit: 10 })) {
        const [row] = await store.scan(entity, { limit: 1, prefix: 'r\u0001notes\u0001b' })
        if (row !== undefined) await store.remove([row])
      }
      expectEqual(await texts(notes.search(['notes'], 'kite')), ['kite green'], 'removed')
    },
  ],

  [
    'puts right what others changed, before it returns it',
    async ({ index, scope }) => {
      const store = inMemoryStore()
      const notes = records<Note>(store, scope(), { index })
      const others = records<Note>(store, scope())
      await fill(notes, 3)
      await others.put(['notes', '0000'], { text: 'a balloon', n: 0 })
      await others.delete(['notes', '0001'])
      expectEqual(await texts(notes.search(['notes'], 'kite')), ['kite 2'], 'kite')
      expectEqual(await texts(notes.search(['notes'], 'balloon')), ['a balloon'], 'balloon')
    },
  ],

  [
    'indexes what was there before it, when it is first asked',
    async ({ index, scope }) => {
      const store = inMemoryStore()
      await fill(records<Note>(store, scope()), 450)
      const notes = records<Note>(store, scope(), { index })
      await notes.put(['notes', 'new'], { text: 'kite new' })
      expectEqual((await notes.search(['notes'], 'kite', { limit: 1000 })).items.length, 451, 'found')
      expectEqual(await reindexRecords(store, scope(), { index }), 451, 'reindexed')
    },
  ],

  [
    'records of a session stand in the order in which they were made, in an index that is built anew too',
    async ({ index, scope }) => {
      let nowMs = 1_800_000_000_000
      const store = inMemoryStore()
      const notes = records(store, scope(), { index, clock: createClock({ nowMs: () => nowMs++ }) })
      const said = { z: 'Did you see the aurora?', m: 'Yes, in Tromso', a: 'It was cold', b: 'Unlike here' }
      for (const [key, text] of Object.entries(said)) await notes.put([key], { text, session: 's' })
      const keys = async (): Promise<string[]> => (await notes.search([], 'aurora')).items.map(({ key }) => key[0]!)
      expectEqual(await keys(), ['z', 'm', 'a'], 'found')
      for (const id of (await index.versions(`owner\u0001${scope()}\u0001r\u0001`)).keys()) {
        await index.remove(`owner\u0001${scope()}\u0001r\u0001`, [{ id }])
      }
      expectEqual(await keys(), [], 'emptied')
      expectEqual(await reindexRecords(store, scope(), { index }), 4, 'reindexed')
      expectEqual(await keys(), ['z', 'm', 'a'], 'found again')
    },
  ],

  [
    'reindexRecords adds what is missing and takes out what is gone',
    async ({ index, scope }) => {
      const store = inMemoryStore()
      const notes = records<Note>(store, scope(), { index })
      await fill(notes, 5)
      const others = records<Note>(store, scope())
      await others.put(['notes', 'x'], { text: 'kite x' })
      await others.delete(['notes', '0001'])
      expectEqual(await reindexRecords(store, scope(), { index }), 5, 'reindexed')
      const found = await texts(notes.search(['notes'], 'kite'))
      expectEqual(found.toSorted(), ['kite 0', 'kite 2', 'kite 3', 'kite 4', 'kite x'], 'found')
    },
  ],

  [
    'keeps to the namespace and the filter, by whole segments',
    async ({ index, scope }) => {
      const notes = records<Note>(inMemoryStore(), scope(), { index })
      await notes.put(['t', 'acme', 'a'], { text: 'kite acme', n: 1 })
      await notes.put(['t', 'acme-corp', 'a'], { text: 'kite acme-corp', n: 2 })
      await notes.put(['u', 'a'], { text: 'kite u', n: 3 })
      expectEqual(await texts(notes.search(['t', 'acme'], 'kite')), ['kite acme'], 'acme')
      expectEqual(
        await texts(notes.search([], 'kite', { filter: { n: { $gt: 1 } } })),
        ['kite u', 'kite acme-corp'],
        'filtered',
      )
      const near = async () => notes.search([], 'kite', { filter: { n: { $near: 1 } as never } })
      await expectError(near(), 'invalid_value', '$near')
    },
  ],

  [
    'no owner sees another, and no area',
    async ({ index, scope }) => {
      const store = inMemoryStore()
      for (const owner of [['a'], ['a', 'r'], ['A'], ['a', 'b']]) {
        await records<Note>(store, [scope(), ...owner], { index }).put(['n', '1'], {
          text: `kite of ${owner.join('/')}`,
        })
      }
      await records<Note>(store, [scope(), 'a'], { index, area: 'x' }).put(['n', '1'], { text: 'kite of x' })
      for (const owner of [['a'], ['a', 'r'], ['A'], ['a', 'b']]) {
        const mine = records<Note>(store, [scope(), ...owner], { index })
        expectEqual(await texts(mine.search([], 'kite')), [`kite of ${owner.join('/')}`], owner.join('/'))
      }
    },
  ],

  [
    'pages hold everything once, while rows come, go and change between them',
    async ({ index, scope }) => {
      const notes = records<Note>(inMemoryStore(), scope(), { index })
      await fill(notes, 60, (n) => `kite ${'and string '.repeat(n % 7)}${n}`)
      const seen: string[] = []
      let cursor: string | undefined
      for (let page = 0; ; page++) {
        const { items, cursor: next } = await notes.search(['notes'], 'kite string', {
          limit: 7,
          ...(cursor !== undefined && { cursor }),
        })
        seen.push(...items.map(({ key }) => key[1]!))
        if (next === undefined) break
        cursor = next
        // What was shown changes, what was not goes, and what comes changes the weight of every word.
        await notes.put(['notes', seen[0]!], { text: `string string kite ${page}` })
        if (page === 1) await notes.delete(['notes', '0059'])
        await notes.put(['other', String(page)], { text: 'string string' })
      }
      expectEqual(new Set(seen).size, seen.length, 'shown once')
      const stayed = Array.from({ length: 59 }, (_, n) => String(n).padStart(4, '0'))
      expectEqual(seen.filter((key) => key !== '0059').toSorted(), stayed, 'shown')
      const { cursor: other } = await notes.search(['notes'], 'kite', { limit: 1 })
      const crossed = Promise.resolve(notes.search(['notes'], 'string', { cursor: other! }))
      await expectError(crossed, 'invalid_value', 'a cursor of another search')
    },
  ],

  [
    'for await gives everything once',
    async ({ index, scope }) => {
      const notes = records<Note>(inMemoryStore(), scope(), { index })
      await fill(notes, 130)
      const seen = new Set<string>()
      let count = 0
      for await (const { key } of notes.search(['notes'], 'kite', { limit: 3 })) {
        seen.add(key[1]!)
        count++
      }
      expectEqual([seen.size, count], [130, 130], 'found')
    },
  ],

  [
    'put says what of a value is searched, or that nothing is; update keeps it',
    async ({ index, scope }) => {
      const store = inMemoryStore()
      const notes = records<{ title: string; body: string; tags?: string[] }>(store, scope(), {
        index: { search: index, fields: ['title'] },
      })
      await notes.put(['a'], { title: 'kite', body: 'balloon' })
      await notes.put(['b'], { title: 'kite', body: 'balloon', tags: ['drone'] }, { index: ['body', 'tags'] })
      await notes.put(['c'], { title: 'kite', body: 'balloon' }, { index: false })
      await notes.update(['c'], (value) => value && { ...value, body: 'balloon again' })
      const keys = async (query: string): Promise<string[]> =>
        (await notes.search([], query)).items.map(({ key }) => key[0]!)
      expectEqual(await keys('kite'), ['a'], 'titles')
      expectEqual(await keys('balloon'), ['b'], 'bodies')
      expectEqual(await keys('drone'), ['b'], 'tags')
      await index.clear(scope())
      await reindexRecords(store, scope(), { index: { search: index, fields: ['title'] } })
      expectEqual(await keys('balloon kite'), ['a', 'b'], 'rebuilt')
      await expectError(
        notes.put(['d'], { title: '', body: '' }, { index: 'title' as never }),
        'invalid_value',
        'a text',
      )
    },
  ],

  [
    'finds by meaning what shares no word: "I\'m hungry" finds "I love pizza"',
    async ({ open, scope }) => {
      await using search = await open('meanings')
      const embed = testEmbedder({
        meanings: [
          ['hungry', 'pizza', 'food'],
          ['weather', 'rain'],
          ['work', 'office'],
        ],
      })
      const store = inMemoryStore()
      const notes = records<Note>(store, scope(), { index: { search, embed, dims: embed.dims } })
      await notes.put(['notes', 'only'], { text: 'I love pizza' })
      expectEqual(await texts(notes.search(['notes'], "I'm hungry")), ['I love pizza'], 'alone')
      await notes.put(['notes', 'a'], { text: 'The rain was heavy' })
      await notes.put(['notes', 'b'], { text: 'The office is closed' })
      const [first] = await texts(notes.search(['notes'], "I'm hungry"))
      expectEqual(first, 'I love pizza', 'first')
      await notes.put(['notes', 'only'], { text: 'I love chess' })
      expectEqual((await texts(notes.search(['notes'], "I'm hungry"))).includes('I love pizza'), false, 'replaced')
    },
  ],

  [
    'embeds what changed, and no more, when it is brought up to date',
    async ({ open, scope }) => {
      await using search = await open('embedded')
      const embed = testEmbedder({ meanings: [['kite']] })
      const store = inMemoryStore()
      const index = { search, embed, dims: embed.dims }
      await fill(records<Note>(store, scope(), { index }), 10)
      expectEqual(embed.texts.length, 10, 'texts')
      await records<Note>(store, scope()).put(['notes', '0003'], { text: 'changed' })
      await reindexRecords(store, scope(), { index })
      expectEqual(embed.texts.slice(10), ['changed'], 'texts')
    },
  ],

  [
    'another model is refused by the first put, before anything is written, and both are named',
    async ({ open, scope }) => {
      await using search = await open('models')
      const embed = testEmbedder({ meanings: [['kite']], modelId: 'small' })
      const store = inMemoryStore()
      await records<Note>(store, scope(), { index: { search, embed, dims: embed.dims } }).put(['a'], { text: 'kite' })
      await using again = await open('models')
      const larger = testEmbedder({ meanings: [['kite']], modelId: 'large', dims: 9 })
      const notes = records<Note>(store, scope(), { index: { search: again, embed: larger, dims: 9 } })
      const error = await expectError(notes.put(['b'], { text: 'kite' }), 'invalid_value', 'put')
      expectEqual(error.message.includes('small with 5') && error.message.includes('large with 9'), true, error.message)
      expectEqual(await notes.get(['b']), undefined, 'b')
    },
  ],
])
