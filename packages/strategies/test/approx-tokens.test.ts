import { describe, expect, it } from 'vitest'
import { approxTokens } from '../src/approx-tokens.ts'
import { gptTokens } from '../src/gpt-tokenizer.ts'
import { corpus } from './corpus.ts'

describe('approxTokens', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['seventh', 2],
    ['Hello world', 2],
    ['123456', 2],
    ['camelCase', 2],
    ['\n', 1],
  ])('of %j are %i', (text, tokens) => expect(approxTokens(text)).toBe(tokens))

  it.each(Object.entries(corpus))('of %s is within its bounds', (_name, text) => {
    const ratio = approxTokens(text) / gptTokens(text)
    expect(ratio).toBeGreaterThan(0.75)
    expect(ratio).toBeLessThan(1.35)
  })

  it('of all of them together is above the exact number, by at most a fifth', () => {
    const all = Object.values(corpus).join('\n')
    const ratio = approxTokens(all) / gptTokens(all)
    expect(ratio).toBeGreaterThan(1)
    expect(ratio).toBeLessThan(1.2)
  })

  it.each([
    ['spaces', ' '],
    ['line ends', '\n'],
    ['letters', 'x'],
    ['rules', '='],
    ['digits', '7'],
    ['emoji', '🎉'],
    ['Chinese', '港'],
  ])('of a long run of %s is not below half of the exact number', (_name, character) => {
    const text = character.repeat(2_000)
    expect(approxTokens(text)).toBeGreaterThanOrEqual(gptTokens(text) / 2)
  })
})
