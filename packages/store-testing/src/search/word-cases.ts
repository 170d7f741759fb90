import { hostileStrings } from '../cases/hostile-strings.ts'
import { expectEqual } from '../expect.ts'
import { documentsOf, found, searchCasesOf, type SearchCaseEntry, type SearchIndexCase } from './search-index-case.ts'

/** What is stored, what is asked and what comes first. */
const languages: readonly (readonly [language: string, texts: Record<string, string>, query: string, first: string])[] =
  [
    ['English endings', { a: 'She was painting landscapes', b: 'He sold the boat' }, 'paint a landscape', 'a'],
    ['English irregular forms', { a: 'We went to the sea', b: 'The children sing' }, 'a child', 'b'],
    ['accents', { a: 'Ein Café in Zürich', b: 'Ein Hotel in Bern' }, 'cafe zurich', 'a'],
    ['capitals', { a: 'NASA LAUNCH', b: 'school lunch' }, 'nasa', 'a'],
    ['apostrophes', { a: "Caroline's kitchen", b: 'a garden' }, 'caroline kitchens', 'a'],
    ['Chinese', { a: '我喜欢吃披萨', b: '今天天气很好' }, '披萨', 'a'],
    ['Japanese', { a: '東京で寿司を食べました', b: '明日は雨です' }, '寿司', 'a'],
    ['Korean', { a: '고양이를 키우고 있어요', b: '날씨가 좋아요' }, '고양이', 'a'],
    ['Thai', { a: 'ฉันชอบกินข้าวผัด', b: 'วันนี้ฝนตก' }, 'ข้าวผัด', 'a'],
    ['Russian', { a: 'Моя собака спит', b: 'Кот ест' }, 'собака', 'a'],
    ['Hindi', { a: 'मुझे किताब पसंद है', b: 'बारिश हो रही है' }, 'किताब', 'a'],
    ['numbers', { a: 'The code is 4711', b: 'The code is 4712' }, '4711', 'a'],
    ['ticket numbers and addresses', { a: 'See ABC-123, ask ann@example.com', b: 'See ABC-124' }, 'abc-123', 'a'],
  ]

export const wordCases: SearchIndexCase[] = searchCasesOf('words', [
  ...languages.map(([language, texts, query, first]): SearchCaseEntry => [
    `finds by words: ${language}`,
    async ({ index, scope }) => {
      await index.index(scope(), documentsOf(texts))
      expectEqual((await found(index, scope(), query))[0], first, 'first')
    },
  ]),

  [
    'finds only what shares a word with the query, and nothing for a query without words',
    async ({ index, scope }) => {
      await index.index(scope(), documentsOf({ a: 'the red boat', b: 'the blue car', c: '' }))
      expectEqual(await found(index, scope(), 'a boat'), ['a'], 'found')
      for (const nothing of ['', '   ', '?!', 'the', 'zebra']) {
        expectEqual(await found(index, scope(), nothing), [], JSON.stringify(nothing))
      }
      expectEqual(await found(index, scope('another'), 'boat'), [], 'in a scope where nothing is')
    },
  ],

  [
    'puts the rarer word and the shorter text first',
    async ({ index, scope }) => {
      await index.index(
        scope(),
        documentsOf({
          a: 'garden garden roses and more things to say about the weather of last spring in the old town',
          b: 'garden tulips',
          c: 'garden chair',
          d: 'garden table',
        }),
      )
      expectEqual((await found(index, scope(), 'garden tulips'))[0], 'b', 'first')
    },
  ],

  [
    'gives the best `limit`, with scores that fall, and equal ones by id',
    async ({ index, scope }) => {
      const ids = ['p', 'z', 'b', 'ä', 'A', '\u{1f600}', '\uff5e']
      await index.index(
        scope(),
        ids.map((id) => ({ id, text: 'kite' })),
      )
      const hits = await index.query(scope(), { text: 'kite', limit: 10 })
      expectEqual(
        hits.map(({ id }) => id),
        ['A', 'b', 'p', 'z', 'ä', '\uff5e', '\u{1f600}'],
        'equal scores in the order of their bytes',
      )
      expectEqual(
        hits.every(({ score }) => score > 0),
        true,
        'scores above 0',
      )
      expectEqual(await found(index, scope(), 'kite', { limit: 2 }), ['A', 'b'], 'two')
    },
  ],

  [
    'finds the passage in a long text',
    async ({ index, scope }) => {
      const filler = 'We looked at many other things that day and nothing came of it. '.repeat(40)
      await index.index(
        scope(),
        documentsOf({
          long: `${filler}The password of the boathouse is kingfisher. ${filler}`,
          short: 'The boathouse was painted last year by somebody from the other side of the lake',
        }),
      )
      expectEqual(await found(index, scope(), 'password of the boathouse'), ['long', 'short'], 'found')
    },
  ],

  [
    'takes a query as data: no character in it is syntax',
    async ({ index, scope }) => {
      await index.index(scope(), documentsOf({ a: 'near the harbour and not far', b: 'other' }))
      for (const text of [...hostileStrings, ...syntax]) await found(index, scope(), text)
      for (const text of syntax) {
        expectEqual(await found(index, scope(), `${text} harbour`), ['a'], JSON.stringify(text))
      }
      expectEqual(await found(index, scope(), 'harbour '.repeat(20_000)), ['a'], 'a long one')
    },
  ],

  [
    'takes a text as data: whatever is indexed is found and changes nothing else',
    async ({ index, scope }) => {
      const texts = [...hostileStrings, ...syntax]
      await index.index(
        scope(),
        texts.map((text, n) => ({ id: `${n}`, text: `${text} lighthouse`, value: { n } })),
      )
      expectEqual((await found(index, scope(), 'lighthouse', { limit: 1000 })).length, texts.length, 'found')
    },
  ],

  [
    'takes a word without end in letters of four bytes, and finds it',
    async ({ index, scope }) => {
      // An x before them, so that wherever a word is cut by UTF-16 a letter is in two.
      const words = ['𐐀', 'x𐐀', 'xy𐐀'].map((word) => word.padEnd(1_000, '𐐀'))
      for (const [n, word] of words.entries()) await index.index(scope(), [{ id: `${n}`, text: word }])
      for (const [n, word] of words.entries()) expectEqual(await found(index, scope(), word), [`${n}`], `word ${n}`)
    },
  ],

  [
    'takes 3 MB of long words, each another one',
    async ({ index, scope }) => {
      const text = Array.from({ length: 30_000 }, (_, n) => `w${n}`.padEnd(100, 'ab')).join(' ')
      await index.index(scope(), documentsOf({ long: text, short: 'w7' }))
      expectEqual(await found(index, scope(), 'w7'.padEnd(100, 'ab')), ['long'], 'found')
    },
  ],
])

/** What means something to one or another engine. */
const syntax = [
  `' OR 1=1 --`,
  `"`,
  `""" `,
  '*',
  'terms:',
  '-',
  '^',
  '+a -b',
  '( ',
  ') AND (',
  'NEAR(',
  '!',
  '& |',
  '<->',
  ':*',
  `\\`,
  '%',
  '_',
  '$1',
  '?1',
  `'; DROP TABLE keepsake_search; --`,
]
