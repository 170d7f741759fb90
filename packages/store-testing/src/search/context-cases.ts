import { expectEqual } from '../expect.ts'
import { found, searchCasesOf, type SearchIndexCase } from './search-index-case.ts'

const at = (day: string): number => Date.parse(`${day}T12:00:00Z`)
const DAY_MS = 24 * 60 * 60 * 1000

export const contextCases: SearchIndexCase[] = searchCasesOf('what memories know about themselves', [
  [
    'a speaker whom the query names comes first, and the name is no word of it',
    async ({ index, scope }) => {
      await index.index(scope(), [
        { id: '1', text: 'I bought a telescope', speaker: 'Ann' },
        { id: '2', text: 'I bought a telescope', speaker: 'Bob' },
        { id: '3', text: 'Hello Bob', speaker: 'Ann' },
      ])
      expectEqual(await found(index, scope(), 'What did Bob buy: a telescope?'), ['2', '1'], 'Bob')
      expectEqual(await found(index, scope(), 'What did Ann buy: a telescope?'), ['1', '2'], 'Ann')
    },
  ],

  [
    "the user's own words come before the assistant's",
    async ({ index, scope }) => {
      await index.index(scope(), [
        { id: '1', text: 'Running shoes for marathons are light', role: 'assistant' },
        { id: '2', text: 'Running shoes for marathons are light', role: 'user' },
      ])
      expectEqual(await found(index, scope(), 'marathon shoes'), ['2', '1'], 'found')
    },
  ],

  [
    'a session, speaker or role of thousands of characters is none, and the text is found',
    async ({ index, scope }) => {
      // Of many different characters, so that no database makes it short.
      const long = Array.from({ length: 20_000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000))).join(
        '',
      )
      const about = { session: long, speaker: long, role: long }
      await index.index(scope(), [{ id: '1', text: 'Running shoes', ...about }])
      await index.index(scope(), [{ id: '2', text: 'Running on the beach', ...about }])
      expectEqual(await found(index, scope(), 'running'), ['1', '2'], 'found')
    },
  ],

  [
    'neighbours in a session lend their words, in the order of their positions',
    async ({ index, scope }) => {
      await index.index(scope(), [
        { id: '3', text: 'It was wonderful', session: 's', position: 3 },
        { id: '1', text: 'Did you see the aurora?', session: 's', position: 1 },
        { id: '9', text: 'Shall we go?', session: 's', position: 9 },
        { id: '2', text: 'Yes, in Tromso', session: 's', position: 2 },
        { id: '4', text: 'Something else', session: 's', position: 4 },
        { id: 'x', text: 'Yes, in Oslo', session: 'another', position: 2 },
        { id: 'y', text: 'Yes, in Bergen' },
      ])
      expectEqual(await found(index, scope(), 'aurora'), ['1', '2', '3'], 'found')
    },
  ],

  [
    'what was removed lends nothing',
    async ({ index, scope }) => {
      await index.index(scope(), [
        { id: '1', text: 'Did you see the aurora?', session: 's' },
        { id: '2', text: 'Yes, in Tromso', session: 's' },
      ])
      await index.remove(scope(), [{ id: '1' }])
      expectEqual(await found(index, scope(), 'aurora'), [], 'found')
      expectEqual(await found(index, scope(), 'tromso'), ['2'], 'found')
    },
  ],

  [
    'a memory of the month or day that the query names comes first',
    async ({ index, scope }) => {
      await index.index(scope(), [
        { id: '1', text: 'We planted trees', atMs: at('2023-05-07') },
        { id: '2', text: 'We planted trees', atMs: at('2023-06-20') },
        { id: '3', text: 'We planted trees', atMs: at('2022-05-08') },
      ])
      const first = async (text: string): Promise<string | undefined> => (await found(index, scope(), text))[0]
      expectEqual(await first('trees planted in June 2023'), '2', 'June')
      expectEqual(await first('trees planted on 7 May 2023'), '1', 'a day')
      expectEqual(await first('trees planted on 2022-05-08'), '3', 'a date')
      expectEqual(await first('trees planted in 2022'), '3', 'a year')
    },
  ],

  [
    'a query that asks when finds what names a time first',
    async ({ index, scope }) => {
      await index.index(scope(), [
        { id: '1', text: 'We moved the piano upstairs' },
        { id: '2', text: 'We moved the piano yesterday' },
      ])
      expectEqual(await found(index, scope(), 'When was the piano moved?'), ['2', '1'], 'found')
    },
  ],

  [
    'newness counts only where it is asked for',
    async ({ index, scope }) => {
      const nowMs = at('2026-01-01')
      await index.index(scope(), [
        { id: '1', text: 'My dentist is Dr Ito', atMs: nowMs - 400 * DAY_MS },
        { id: '2', text: 'My dentist is Dr Roe', atMs: nowMs - DAY_MS },
        { id: '3', text: 'My dentist is Dr Zed' },
      ])
      const recency = { weight: 0.1, halfLifeMs: 30 * DAY_MS, nowMs }
      expectEqual(await found(index, scope(), 'dentist'), ['1', '2', '3'], 'without')
      expectEqual(await found(index, scope(), 'dentist', { recency }), ['2', '1', '3'], 'with')
      const multiply = { ...recency, weight: 1, combine: 'multiply' as const }
      expectEqual(await found(index, scope(), 'dentist', { recency: multiply }), ['2', '1'], 'multiplied')
      expectEqual(await found(index, scope(), 'zebra', { recency }), [], 'newness alone finds nothing')
    },
  ],
])
