import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '@keepsake/core'
import { window } from '../src/window.ts'
import { wholeHistories } from './histories.ts'
import { calls, results, say, system, user } from './messages.ts'

const talk = (length: number): Message[] => Array.from({ length }, (_, i) => (i % 2 === 0 ? user(`${i}`) : say(`${i}`)))
const isPrefix = (a: readonly Message[], b: readonly Message[]): boolean => a.every((message, i) => b[i] === message)

describe('window with a step', () => {
  it.each([
    // n = 10, step = 4: up to 10 messages nothing is cut; then 4, 8, 12, … are, each for four lengths.
    [9, 0],
    [10, 0],
    [11, 4],
    [12, 4],
    [14, 4],
    [15, 8],
    [18, 8],
    [19, 12],
  ])('of %i messages leaves out the first %i', (length, cut) => {
    const messages = talk(length)
    expect(window(10, { step: 4 })(messages)).toEqual(messages.slice(cut))
  })

  it('cuts at the next edge of a unit, so that n is kept', () => {
    // The stride ends at 4, inside the unit of positions 3 to 6: the window begins at 7.
    const messages = [user('0'), say('1'), user('2'), calls('a', 'b'), results('a'), results('b'), say('6')]
    const longer = [...messages, user('7'), say('8')]
    expect(window(6, { step: 4 })(longer)).toEqual(longer.slice(6))
  })

  it('never leaves out the newest unit', () => {
    const messages = [user('0'), calls('a', 'b', 'c'), results('a'), results('b'), results('c')]
    expect(window(4, { step: 4 })(messages)).toEqual(messages.slice(1))
    expect(window(3, { step: 3 })(messages)).toEqual(messages.slice(1))
  })

  it('does not count system messages', () => {
    const messages = talk(12)
    expect(window(10, { step: 4 })([...messages, system('x')])).toEqual([system('x'), ...messages.slice(4)])
  })

  it('with step = 1 is the plain window', () => {
    const messages = talk(30)
    expect(window(7, { step: 1 })(messages)).toEqual(window(7)(messages))
  })

  it('in a growing conversation moves once in `step` messages, and between moves each prompt begins with the last', () => {
    const all = talk(200)
    const cut = window(20, { step: 5 })
    let moves = 0
    for (let length = 1; length <= all.length; length++) {
      const prompt = cut(all.slice(0, length))
      expect(prompt.length).toBeLessThanOrEqual(20)
      if (length > 20) expect(prompt.length).toBeGreaterThanOrEqual(16)
      if (!isPrefix(cut(all.slice(0, length - 1)), prompt)) moves++
    }
    // 180 messages beyond the first 20, five for each move.
    expect(moves).toBe(36)
  })

  it('moves no further when the AI SDK carries the shortened list on from step to step', () => {
    const cut = window(20, { step: 5 })
    let carried = talk(20)
    let moves = 0
    for (let i = 0; i < 100; i++) {
      const given = [...carried, user(`more ${i}`)]
      carried = cut(given)
      expect(carried.length).toBeLessThanOrEqual(20)
      if (carried.length < given.length) moves++
    }
    expect(moves).toBe(20)
  })

  it('begins where it began before, as long as the same stride holds and its edge is known', () => {
    const settings = fc
      .integer({ min: 1, max: 20 })
      .chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 1, max: n })))
    fc.assert(
      fc.property(wholeHistories, settings, fc.nat(40), (units, [n, step], shorterBy) => {
        const before = units.slice(0, Math.max(0, units.length - shorterBy))
        const stride = (list: Message[][]): number => Math.ceil(Math.max(0, list.flat().length - n) / step)
        fc.pre(stride(before) === stride(units))
        // Where the newest unit is the only thing left, the edge that the stride asks for is not there yet.
        const starts = before.map((_, i) => before.slice(0, i).flat().length)
        fc.pre(starts.some((start) => start >= stride(before) * step) || before.length === 0)
        expect(isPrefix(window(n, { step })(before.flat()), window(n, { step })(units.flat()))).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('never has more than n messages, but for the newest unit, and never fewer than the strides allow', () => {
    const settings = fc
      .integer({ min: 1, max: 20 })
      .chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 1, max: n })))
    fc.assert(
      fc.property(wholeHistories, settings, (units, [n, step]) => {
        const output = window(n, { step })(units.flat())
        const newest = units.at(-1)?.length ?? 0
        expect(output.length).toBeLessThanOrEqual(Math.max(n, newest))
        // A unit of this generator has at most three messages, so an edge is at most two messages away.
        expect(output.length).toBeGreaterThanOrEqual(Math.min(units.flat().length, n - step + 1 - 2))
      }),
      { numRuns: 1000 },
    )
  })
})
