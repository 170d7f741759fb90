import { array, assert, boolean, constantFrom, integer, option, property, record, string, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyseQuery } from '../src/search/analysed-query.ts'
import { createCorpus, type Corpus } from '../src/search/corpus.ts'
import type { AnalysedDocument } from '../src/search/analysed-document.ts'
import { clearScores, createScratch, rankByWords } from '../src/search/rank.ts'
import { createAnalyser } from '../src/search/terms.ts'
import { createTopHits } from '../src/search/top-hits.ts'

const document = (id: string, terms: string, more: Partial<AnalysedDocument> = {}): AnalysedDocument => ({
  id,
  passages: terms.split('|').map((passage) => passage.split(' ').filter((term) => term !== '')),
  question: false,
  saysWhen: false,
  ...more,
})

const analyser = createAnalyser()
const scratch = createScratch()

function scoresOf(corpus: Corpus, text: string): Record<string, number> {
  const words = rankByWords(corpus, analyseQuery(text, analyser), scratch)
  const scores = Object.fromEntries(Array.from(words.documents, (n) => [corpus.ids[n]!, words.scores[n]!]))
  clearScores(words)
  return scores
}

const corpusOf = (...documents: AnalysedDocument[]): Corpus => {
  const corpus = createCorpus()
  for (const one of documents) corpus.add(one)
  return corpus
}

describe('rankByWords', () => {
  it('is BM25 where documents know nothing about themselves', () => {
    const corpus = corpusOf(document('a', 'boat boat lake'), document('b', 'boat'), document('c', 'car road'))
    // k1 = 1.2, b = 0.6; 3 passages of 2 terms in the mean; "boat" stands in 2.
    const idf = Math.log(1 + 1.5 / 2.5)
    const bm25 = (times: number, length: number): number =>
      (idf * times * 2.2) / (times + 1.2 * (0.4 + (0.6 * length) / 2))
    const scores = scoresOf(corpus, 'boats')
    expect(Object.keys(scores)).toEqual(['a', 'b'])
    expect(scores['a']).toBeCloseTo(bm25(2, 3), 5)
    expect(scores['b']).toBeCloseTo(bm25(1, 1), 5)
  })

  it('takes the best passage of a document', () => {
    const corpus = corpusOf(document('a', 'boat|boat boat|car'), document('b', 'boat boat'))
    const scores = scoresOf(corpus, 'boat')
    expect(scores['a']).toBeCloseTo(scores['b']!, 5)
  })

  it("weighs the user's words twice and a named speaker's 1.8 times", () => {
    const corpus = corpusOf(
      document('plain', 'boat'),
      document('user', 'boat', { role: 'user' }),
      document('ann', 'boat', { speaker: 'Ann Lee' }),
    )
    const scores = scoresOf(corpus, "Ann's boat")
    expect(scores['user']! / scores['plain']!).toBeCloseTo(2, 5)
    expect(scores['ann']! / scores['plain']!).toBeCloseTo(1.8, 5)
  })

  it('looks for a name where nothing else is asked', () => {
    const corpus = corpusOf(document('a', 'hello ann', { speaker: 'Bob' }), document('b', 'hello', { speaker: 'Ann' }))
    expect(Object.keys(scoresOf(corpus, 'Ann'))).toEqual(['a'])
  })
})

describe('createCorpus', () => {
  it('ranks after any changes as if only what is there had ever been added', () => {
    const changes = array(
      record({
        id: integer({ min: 0, max: 40 }),
        gone: boolean(),
        terms: constantFrom('boat', 'boat lake', 'car', 'lake lake|boat car', ''),
        session: option(constantFrom('s', 't'), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 200 },
    )
    assert(
      property(changes, (list) => {
        const corpus = createCorpus()
        const there = new Map<string, AnalysedDocument>()
        for (const [position, { id: number, gone, terms, session }] of list.entries()) {
          const id = String(number)
          there.delete(id)
          if (gone) corpus.remove(id)
          else {
            const one = document(id, terms, { ...(session !== undefined && { session }), position })
            there.set(id, one)
            corpus.add(one)
          }
        }
        // Removed documents count in how rare a word is until they are taken out: the order of what is found is compared.
        expect(Object.keys(scoresOf(corpus, 'boat')).toSorted()).toEqual(
          Object.keys(scoresOf(corpusOf(...there.values()), 'boat')).toSorted(),
        )
        expect(corpus.size).toBe(there.size)
      }),
      { numRuns: 200 },
    )
  })

  it('keeps sessions in the order of places, however documents come and go', () => {
    const changes = array(
      record({
        id: integer({ min: 0, max: 12 }),
        gone: boolean(),
        ranked: boolean(),
        position: option(integer({ min: 0, max: 5 }), { nil: undefined }),
      }),
      { maxLength: 60 },
    )
    assert(
      property(changes, (list) => {
        const corpus = createCorpus()
        let there: { id: string; place: number }[] = []
        for (const { id: number, gone, ranked, position } of list) {
          const id = String(number)
          there = there.filter((one) => one.id !== id)
          if (gone) corpus.remove(id)
          else {
            const place = position ?? Math.max(-1, ...there.map((one) => one.place)) + 1
            there.push({ id, place })
            corpus.add(document(id, 'boat', { session: 's', ...(position !== undefined && { position }) }))
          }
          if (ranked) scoresOf(corpus, 'boat')
        }
        scoresOf(corpus, 'boat')
        const wanted = there.toSorted((a, b) => a.place - b.place).map(({ id }) => id)
        const forwards: string[] = []
        const backwards: string[] = []
        for (let at = corpus.sessions[0] ?? -1; at >= 0; at = corpus.before.values[at]!)
          backwards.unshift(corpus.ids[at]!)
        let first = corpus.find(wanted[0] ?? '') ?? -1
        for (; first >= 0; first = corpus.after.values[first]!) forwards.push(corpus.ids[first]!)
        expect(backwards).toEqual(wanted)
        expect(forwards).toEqual(wanted)
      }),
      { numRuns: 500 },
    )
  })

  it('takes removed documents out once there are many, and then gives the scores of a new one', () => {
    const corpus = createCorpus()
    const last = (n: number): AnalysedDocument =>
      document(`${n}`, n % 2 === 0 ? 'boat lake' : 'boat', { session: `${n % 3}`, position: n, speaker: `S${n % 2}` })
    for (let round = 0; round < 20; round++) {
      for (let n = 0; n < 100; n++) corpus.add(document(`${n}`, `old${round} boat`, { session: `${n % 3}` }))
    }
    for (let n = 0; n < 100; n++) corpus.add(last(n))
    expect(corpus.ids.length).toBeLessThan(1_300)
    for (let n = 0; n < 2_000 && corpus.ids.length > 100; n++) {
      corpus.add(document('x', 'old'))
      corpus.remove('x')
    }
    expect(corpus.ids).toHaveLength(100)
    expect(corpus.postings.has('old')).toBe(false)
    const fresh = corpusOf(...Array.from({ length: 100 }, (_, n) => last(n)))
    expect(scoresOf(corpus, 'boat lake')).toEqual(scoresOf(fresh, 'boat lake'))
  })
})

it('createTopHits keeps the best, as sorting does', () => {
  assert(
    property(
      array(tuple(string({ maxLength: 3 }), integer({ min: 1, max: 5 }))),
      integer({ min: 1, max: 12 }),
      (hits, limit) => {
        const top = createTopHits(limit)
        for (const [id, score] of hits) top.add(id, score)
        const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
        const sorted = hits.toSorted(([a, x], [b, y]) => y - x || byBytes(a, b)).slice(0, limit)
        expect(top.sorted().map(({ id, score }) => [id, score])).toEqual(sorted)
      },
    ),
  )
})
