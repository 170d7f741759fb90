import { describe, expect, it } from 'vitest'
import { wordScore, wordsOf, wordsOfValue } from '../src/records/words.ts'

describe('wordsOf', () => {
  it.each([
    ['', []],
    ['  … -- !', []],
    ['Hello, hello World!', ['hello', 'world']],
    ["don't", ['don', 't']],
    ['ticket ABC-123', ['ticket', 'abc', '123']],
    ['Straße ÜBER', ['straße', 'über']],
    // Composed and decomposed are one word, and so are full-width letters.
    ['caf\u00E9', ['café']],
    ['cafe\u0301', ['caf\u00E9']],
    ['ＡＢＣ', ['abc']],
    ['日本 मैं', ['日本', 'मैं']],
    ['a_b', ['a', 'b']],
  ])('%j', (text, words) => {
    expect([...wordsOf(text)]).toEqual(words)
  })
})

describe('wordsOfValue', () => {
  it('finds texts and numbers at any depth, and nothing else', () => {
    const value = { key: 'Red', list: [{ deep: 'blue Sky' }, 42, true, null], data: Uint8Array.of(1) }
    expect([...wordsOfValue(value)].toSorted()).toEqual(['42', 'blue', 'red', 'sky'])
    expect([...wordsOfValue('Red')]).toEqual(['red'])
    expect([...wordsOfValue(null)]).toEqual([])
  })
})

describe('wordScore', () => {
  it.each([
    ['', 'a', 0],
    ['a', '', 0],
    ['a b', 'b c', 0.5],
    ['a b', 'a b c', 1],
    ['a b c d', 'd', 0.25],
  ])('%j in %j is %d', (query, text, score) => {
    expect(wordScore(wordsOf(query), wordsOf(text))).toBe(score)
  })
})
