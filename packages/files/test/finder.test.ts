import { array, assert, constantFrom, nat, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finder } from '../src/finder.ts'

describe('finder', () => {
  const text = (minLength: number, maxLength: number) =>
    array(constantFrom('a', 'a', 'a', 'b'), { minLength, maxLength }).map((letters) => letters.join(''))

  it('finds what indexOf finds', () => {
    assert(
      property(text(0, 40), text(0, 40), text(17, 24), nat(50), (before, after, wanted, from) => {
        for (const content of [before + after, before + wanted + after, before + wanted + wanted]) {
          expect(finder(wanted)(content, from)).toBe(content.indexOf(wanted, from))
        }
      }),
      { seed: 1, numRuns: 5000 },
    )
  })

  it('finds short texts', () => {
    expect(finder('ab')('xabab', 2)).toBe(3)
    expect(finder('ab')('xabab', 4)).toBe(-1)
  })
})
