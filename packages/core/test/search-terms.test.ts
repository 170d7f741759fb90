import { describe, expect, it } from 'vitest'
import { analyseDocument } from '../src/search/analysed-document.ts'
import { createAnalyser } from '../src/search/terms.ts'

const { terms } = createAnalyser()

describe('terms', () => {
  // Stems are those of Porter's algorithm, worked out by its rules.
  it.each<[text: string, found: string[]]>([
    ['', []],
    ['the and of', []],
    ['Running shoes', ['run', 'shoe']],
    ['She went to see the children', ['go', 'see', 'child']],
    ["Caroline's dogs don’t bark", ['carolin', 'dog', 'bark']],
    ['ABC-123', ['abc', '123']],
    ['ann@example.com', ['ann', 'exampl', 'com']],
    ['Café ÉCLAIR Zürich', ['cafe', 'eclair', 'zurich']],
    ['Ελλάδα Й', ['ελλαδα', 'и']],
    ['ﬁne ＡＢＣ', ['fine', 'abc']],
    ['고양이를 고양이', ['고양', '고양']],
    ['집에서', ['집에서']],
    ['ガラス', ['ガラス']],
    ['हिन्दी किताब', ['हिन्दी', 'किताब']],
    ['x\u0000y \ud83d\ude00 z\ud800', ['x', 'y', 'z']],
  ])('of %j are %j', (text, found) => {
    expect(terms(text)).toEqual(found)
  })

  it('cuts scripts without spaces into words', () => {
    expect(terms('我喜欢吃披萨')).toEqual(expect.arrayContaining(['喜欢', '喜', '欢', '披', '萨']))
    expect(terms('東京で寿司を食べました')).toContain('寿司')
    expect(terms('ฉันชอบกินข้าว').length).toBeGreaterThan(1)
    expect(terms('the 寿司 sushi')).toEqual(['寿司', '寿', '司', 'sushi'])
  })

  it('takes the beginning of a word that is longer than any', () => {
    expect(terms('é'.repeat(5_000))).toEqual(['e'.repeat(100)])
    expect(terms('A'.repeat(101))).toEqual(['a'.repeat(100)])
  })

  it('is linear in the length of a text, whatever it holds', () => {
    for (const piece of ["a'", '가', '漢', ' ', '?', 'é', '\u0301']) {
      const text = piece.repeat(200_000)
      expect(analyseDocument({ id: 'x', text }, createAnalyser()).passages.length).toBeGreaterThan(0)
    }
  })
})

describe('passages', () => {
  const passagesOf = (text: string): string[][] =>
    analyseDocument({ id: 'x', text }, createAnalyser()).passages.map((passage) => [...passage])
  const words = (count: number, from = 0): string => Array.from({ length: count }, (_, n) => `w${from + n}`).join(' ')

  it('are one for a short text, even an empty one', () => {
    expect(passagesOf('')).toEqual([[]])
    expect(passagesOf('one boat. two boats.')).toEqual([['on', 'boat', 'two', 'boat']])
  })

  it('end where a sentence ends, at 60 words at most', () => {
    const passages = passagesOf(`${words(50)}. ${words(50, 50)}. ${words(10, 100)}.`)
    expect(passages.map((passage) => passage.length)).toEqual([50, 60])
    expect(passages[1]!.slice(0, 1)).toEqual(['w50'])
  })

  it('end within a sentence that is longer', () => {
    expect(passagesOf(words(150)).map((passage) => passage.length)).toEqual([60, 60, 30])
  })

  it('are 500 at most', () => {
    expect(passagesOf(words(31_000))).toHaveLength(500)
  })
})
