import { describe, expect, it } from 'vitest'
import { instructionLike } from '../src/instructions/instruction-like.ts'
import orders from './instructions/orders.json' with { type: 'json' }
import facts from './instructions/facts.json' with { type: 'json' }

describe('instructionLike', () => {
  it('has a corpus', () => {
    expect(orders.length).toBeGreaterThanOrEqual(60)
    expect(facts.length).toBeGreaterThanOrEqual(120)
  })

  it.each(orders as [text: string, sign: string][])('%j is an instruction', (text, sign) => {
    expect(instructionLike(text)).toBe(sign)
  })

  it.each(facts)('%j is something to know', (text) => {
    expect(instructionLike(text)).toBeUndefined()
  })

  it('takes linear time', () => {
    const words = [
      'ignore all ',
      'if the user ',
      'the agent x y z ',
      'send history ',
      '<system ',
      'http://a?',
      'do not tell ',
      '忽略',
    ]
    for (const word of words) {
      const text = word.repeat(Math.ceil(400_000 / word.length))
      const startedMs = performance.now()
      instructionLike(text)
      // Quadratic would be minutes.
      expect(performance.now() - startedMs, word).toBeLessThan(5_000)
    }
  })
})
