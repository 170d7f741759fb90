import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '@keepsake/core'
import { messageTokens } from '../src/message-tokens.ts'
import { tokenWindow } from '../src/token-window.ts'
import { anyHistory, wholeHistories } from './histories.ts'
import { complaints } from './validator.ts'

const count = (text: string): number => text.length
const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + messageTokens(message, count), 0)
const settings = fc
  .integer({ min: 200, max: 800 })
  .chain((maxTokens) => fc.record({ maxTokens: fc.constant(maxTokens), step: fc.integer({ min: 1, max: maxTokens }) }))

describe('tokenWindow', () => {
  it('gives prompts that providers take, whatever the history', () => {
    fc.assert(
      fc.property(anyHistory, settings, (history, { maxTokens, step }) => {
        expect(complaints(tokenWindow({ maxTokens, step, count })(history))).toEqual([])
      }),
      { numRuns: 6_000 },
    )
  })

  it("gives them with keep: 'first' too", () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 200, max: 800 }), (history, maxTokens) => {
        expect(complaints(tokenWindow({ maxTokens, count, keep: 'first' })(history))).toEqual([])
      }),
      { numRuns: 2_000 },
    )
  })

  it('keeps of a whole history exactly the newest units that fit, and always the newest', () => {
    fc.assert(
      fc.property(wholeHistories, fc.integer({ min: 1, max: 400 }), (units, maxTokens) => {
        const expected: Message[] = []
        for (const unit of units.toReversed()) {
          if (expected.length > 0 && tokensOf(expected) + tokensOf(unit) > maxTokens) break
          expected.unshift(...unit)
        }
        expect(tokenWindow({ maxTokens, count })(units.flat())).toEqual(expected)
      }),
      { numRuns: 1_000 },
    )
  })

  it("with keep: 'first' exactly the oldest units that fit, and always the oldest", () => {
    fc.assert(
      fc.property(wholeHistories, fc.integer({ min: 1, max: 400 }), (units, maxTokens) => {
        const expected: Message[] = []
        for (const unit of units) {
          if (expected.length > 0 && tokensOf(expected) + tokensOf(unit) > maxTokens) break
          expected.push(...unit)
        }
        expect(tokenWindow({ maxTokens, count, keep: 'first' })(units.flat())).toEqual(expected)
      }),
      { numRuns: 1_000 },
    )
  })

  it('with a step never has more than the budget, but for the newest unit, and is a window of fewer tokens', () => {
    fc.assert(
      fc.property(wholeHistories, settings, (units, { maxTokens, step }) => {
        const strided = tokenWindow({ maxTokens, step, count })(units.flat())
        const plain = tokenWindow({ maxTokens, count })(units.flat())
        expect(tokensOf(strided)).toBeLessThanOrEqual(Math.max(maxTokens, tokensOf(units.at(-1) ?? [])))
        expect(plain.slice(plain.length - strided.length)).toEqual(strided)
      }),
      { numRuns: 1_000 },
    )
  })
})
