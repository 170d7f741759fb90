import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sortedStrings, type SortedStrings } from '../src/rows/sorted-strings.ts'
import { compareUtf8 } from '../src/rows/utf8.ts'

function setOf(texts: readonly string[]): SortedStrings {
  const set = sortedStrings()
  for (const text of texts) set.add(text)
  return set
}

const padded = (i: number): string => String(i).padStart(5, '0')

describe('sortedStrings', () => {
  it('is empty at first', () => {
    const set = sortedStrings()
    expect(set.size).toBe(0)
    expect([...set.from('', undefined)]).toEqual([])
    set.delete('a')
    expect(set.size).toBe(0)
  })

  it('orders by UTF-8 bytes and holds each text once', () => {
    const set = setOf(['b', '\u{1F600}', 'a', '\uFF5E', '', 'a'])
    expect([...set.from('', undefined)]).toEqual(['', 'a', 'b', '\uFF5E', '\u{1F600}'])
    expect(set.size).toBe(5)
  })

  it.each([
    ['b', undefined, ['b', 'c', 'd']],
    ['bb', undefined, ['c', 'd']],
    ['', 'b', ['c', 'd']],
    ['', 'bb', ['c', 'd']],
    ['b', 'b', ['c', 'd']],
    ['b', 'a', ['b', 'c', 'd']],
    ['b', 'c', ['d']],
    ['d', 'd', []],
    ['e', undefined, []],
    ['', 'z', []],
  ])('from %j after %j', (from, after, expected) => {
    expect([...setOf(['a', 'b', 'c', 'd']).from(from, after)]).toEqual(expected)
  })

  it('keeps its order over many chunks, whichever end it grows at', () => {
    const ascending = Array.from({ length: 3000 }, (_, i) => padded(i))
    for (const added of [ascending, ascending.toReversed()]) {
      const set = setOf(added)
      expect(set.size).toBe(3000)
      expect([...set.from('', undefined)]).toEqual(ascending)
      expect([...set.from(padded(1500), undefined)]).toEqual(ascending.slice(1500))
      expect([...set.from('', padded(511))]).toEqual(ascending.slice(512))
    }
  })

  it('forgets chunks that became empty', () => {
    const set = setOf(Array.from({ length: 1200 }, (_, i) => padded(i)))
    for (let i = 100; i < 1100; i++) set.delete(padded(i))
    expect(set.size).toBe(200)
    expect([...set.from(padded(50), undefined)]).toHaveLength(150)
    set.add(padded(500))
    expect([...set.from(padded(99), padded(99))].slice(0, 2)).toEqual([padded(500), padded(1100)])
  })

  it('does what a sorted array does', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\uFFFF', '\u{10000}'), maxLength: 3 })
    const step = fc.record({ add: fc.boolean(), text })
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        text,
        fc.option(text, { nil: undefined }),
        (steps, from, after) => {
          const set = sortedStrings()
          const model = new Set<string>()
          for (const { add, text: item } of steps) {
            set[add ? 'add' : 'delete'](item)
            model[add ? 'add' : 'delete'](item)
          }
          const expected = [...model]
            .filter((item) => compareUtf8(item, from) >= 0 && (after === undefined || compareUtf8(item, after) > 0))
            .toSorted(compareUtf8)
          expect(set.size).toBe(model.size)
          expect([...set.from(from, after)]).toEqual(expected)
        },
      ),
      { numRuns: 1000 },
    )
  })
})
