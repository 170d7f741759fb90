import { describe, expect, it } from 'vitest'
import { topicIndex, type TopicText } from '../src/toolset/topic-index.ts'
import { identifiersOf, termReader } from '../src/toolset/topic-terms.ts'

const topics: TopicText[] = [
  { path: '/topics/alps.md', description: 'The hiking trip to the Alps', body: 'In June with Bob. Huts are booked.' },
  { path: '/topics/garden.md', description: '', body: 'Tomatoes and beans. The hedge needs cutting in June.' },
  {
    path: '/topics/acme.md',
    description: 'The customer Acme',
    body: 'Ticket ABC-12 is open. Contact: eve@acme.example.',
  },
  {
    path: '/topics/k8s.md',
    description: 'Operations',
    body: 'The cluster runs retryQueue and payment_api, build 48213.',
  },
  { path: '/topics/寿司.md', description: '', body: '私は寿司が好きです。' },
]
const pick = (text: string, limit = 3): string[] => topicIndex(topics).pick(text, limit)

describe('pick', () => {
  it.for([
    ['Who hikes with me?', ['/topics/alps.md']],
    ['what about the tomato?', ['/topics/garden.md']],
    ['In June?', ['/topics/garden.md', '/topics/alps.md']],
    ['acme?', ['/topics/acme.md']],
    ['What is the state of abc-12?', ['/topics/acme.md']],
    ['Who wrote from EVE@ACME.example?', ['/topics/acme.md']],
    ['Is retryqueue slow?', ['/topics/k8s.md']],
    ['payment_api', ['/topics/k8s.md']],
    ['Which build was 48213', ['/topics/k8s.md']],
    ['寿司は好き？', ['/topics/寿司.md']],
  ] as [string, string[]][])('finds %s', ([text, expected]) => {
    expect(pick(text)).toEqual(expected)
  })

  it('puts an identifier before any number of words', () => {
    expect(pick('Tomatoes, beans and the hedge in June, hiking to the Alps with Bob, and payment_api', 1)).toEqual([
      '/topics/k8s.md',
    ])
  })

  it.for(['What is the capital of Mongolia?', '', '???', 'the and of', 'Where do penguins sleep in winter?'])(
    'finds nothing for %j',
    (text) => {
      expect(pick(text)).toEqual([])
    },
  )

  it('is not led by one common word of many', () => {
    expect(pick('In June the orchestra of Vienna performs Mahler symphonies')).toEqual([])
  })

  it('gives at most so many, and none of no files', () => {
    expect(pick('June', 1)).toHaveLength(1)
    expect(pick('June', 0)).toEqual([])
    expect(topicIndex([]).pick('June', 3)).toEqual([])
  })

  it('leaves the stop words of a domain out', () => {
    expect(topicIndex(topics, ['customer', 'Acme']).pick('Which customer?', 3)).toEqual([])
  })

  it('takes names like those of prototypes as words', () => {
    const odd = [{ path: '/__proto__.md', description: 'constructor', body: 'toString' }]
    expect(topicIndex(odd).pick('what about the constructor', 3)).toEqual(['/__proto__.md'])
  })
})

describe('keywords and duplicates', () => {
  it('are what tells a file from the others', () => {
    expect(topicIndex(topics).keywords('/topics/garden.md', 3)).toEqual(['beans', 'cutting', 'hedge'])
    expect(topicIndex(topics).keywords('/none.md', 3)).toEqual([])
  })

  it('are pairs that say nearly the same', () => {
    const body = 'Ada prefers green tea in the morning and black coffee after lunch with friends.'
    const pairs = topicIndex([
      { path: '/a.md', description: 'Tea', body },
      { path: '/b.md', description: 'Drinks', body: `${body} Never milk.` },
      ...topics,
    ]).nearDuplicates()
    expect(pairs.map(({ paths }) => paths)).toEqual([['/a.md', '/b.md']])
    expect(pairs[0]!.similarity).toBeGreaterThan(0.7)
  })
})

describe('words', () => {
  it('are stems, without stop words, accents and apostrophes', () => {
    expect(termReader().terms("Caroline's cafés weren't RUNNING")).toEqual(['carolin', 'cafe', 'run'])
  })

  it('names are what is looked for exactly', () => {
    expect([
      ...identifiersOf('On 3rd May 2024 see ABC-12, #7, v1.2.3, fooBar, snake_case and a@b.co; 2nd, 10am, 1990s'),
    ]).toEqual(['abc-12', '#7', 'v1.2.3', 'foobar', 'snake_case', 'a@b.co'])
  })
})

it('reads a text of 300,000 short runs of Chinese in time that grows with its length', () => {
  // With a segmenter made for each run this takes a minute.
  const body = '寿 '.repeat(300_000)
  expect(topicIndex([{ path: '/topics/a.md', description: '', body }]).pick('寿', 1)).toEqual(['/topics/a.md'])
})
