import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '@keepsake/core'
import { window } from '../src/window.ts'
import { anyHistory, wholeHistories } from './histories.ts'
import { complaints } from './validator.ts'

const sizes = fc.integer({ min: 0, max: 30 })
const settings = fc.integer({ min: 1, max: 30 }).chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 1, max: n })))
const notSystem = (messages: readonly Message[]): Message[] => messages.filter((message) => message.role !== 'system')

describe('window', () => {
  it('gives prompts that providers take, whatever the history', () => {
    fc.assert(
      fc.property(anyHistory, settings, (history, [n, step]) => {
        expect(complaints(window(n, { step })(history))).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  it('returns the objects that it was given, all system messages first, the others in their order', () => {
    fc.assert(
      fc.property(anyHistory, sizes, (history, n) => {
        const output = window(n)(history)
        const systems = history.filter((message) => message.role === 'system')
        expect(output.slice(0, systems.length)).toEqual(systems)
        const positions = output.slice(systems.length).map((message) => history.indexOf(message))
        expect(positions).not.toContain(-1)
        expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => a - b))
      }),
    )
  })

  it('keeps of a whole history exactly the newest units that fit, and always the newest', () => {
    fc.assert(
      fc.property(wholeHistories, sizes, (units, n) => {
        const expected: Message[] = []
        for (const unit of units.toReversed()) {
          if (expected.length > 0 && expected.length + unit.length > n) break
          expected.unshift(...unit)
        }
        expect(window(n)(units.flat())).toEqual(expected)
      }),
      { numRuns: 1000 },
    )
  })

  it('keeps more as n grows, always a suffix of the larger window', () => {
    fc.assert(
      fc.property(anyHistory, sizes, (history, n) => {
        const small = notSystem(window(n)(history))
        const large = notSystem(window(n + 1)(history))
        expect(large.slice(large.length - small.length)).toEqual(small)
      }),
    )
  })

  it('is stable: a window of a window is the same window', () => {
    fc.assert(
      fc.property(anyHistory, sizes, (history, n) => {
        const once = window(n)(history)
        expect(window(n)(once)).toEqual(once)
      }),
      { numRuns: 1000 },
    )
  })

  it('never changes what it was given', () => {
    fc.assert(
      fc.property(anyHistory, settings, (history, [n, step]) => {
        const before = structuredClone(history)
        window(n, { step })(deepFreeze(history))
        expect(history).toEqual(before)
      }),
    )
  })
})

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}
