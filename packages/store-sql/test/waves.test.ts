import type { RowWrite } from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import { toSegments, toWaves, type SegmentLimits } from '../src/waves.ts'
import { row } from './rows.ts'

const LIMITS: SegmentLimits = { maxRows: { newer: 3, absent: 2, expected: 1 }, maxBytes: 10 }

/** `a=`: guard monotonic, `a!`: absent, `a?`: { seq }; a number after it is the length of the record. */
function rows(...shorthand: string[]): RowWrite[] {
  return shorthand.map((text) => {
    const [, key, guard, bytes] = /^(\w+)([=!?])(\d*)$/.exec(text)!
    const fields = { key: key!, seq: 2, rec: new Uint8Array(Number(bytes)) }
    if (guard === '=') return row(fields)
    return row({ ...fields, guard: guard === '!' ? 'absent' : { seq: 1 } })
  })
}

describe('toWaves', () => {
  test.each<[string, RowWrite[], ReturnType<typeof toWaves>]>([
    ['nothing', [], []],
    ['one row', rows('a='), [[{ kind: 'newer', places: [0] }]]],
    ['rows in the order of their keys', rows('c=', 'a=', 'b='), [[{ kind: 'newer', places: [1, 2, 0] }]]],
    [
      'a row twice in two waves, in the order of the call',
      rows('b=', 'a=', 'b=', 'b='),
      [[{ kind: 'newer', places: [1, 0] }], [{ kind: 'newer', places: [2] }], [{ kind: 'newer', places: [3] }]],
    ],
    [
      'kinds of guard apart, without leaving the order of keys',
      rows('a=', 'b!', 'c=', 'd=', 'e?', 'f?'),
      [
        [
          { kind: 'newer', places: [0] },
          { kind: 'absent', places: [1] },
          { kind: 'newer', places: [2, 3] },
          { kind: 'expected', places: [4] },
          { kind: 'expected', places: [5] },
        ],
      ],
    ],
    [
      'as many rows as a statement takes',
      rows('a=', 'b=', 'c=', 'd='),
      [
        [
          { kind: 'newer', places: [0, 1, 2] },
          { kind: 'newer', places: [3] },
        ],
      ],
    ],
    [
      'as many bytes as a statement takes, and a larger record alone',
      rows('a=4', 'b=6', 'c=1', 'd=50', 'e=1'),
      [
        [
          { kind: 'newer', places: [0, 1] },
          { kind: 'newer', places: [2] },
          { kind: 'newer', places: [3] },
          { kind: 'newer', places: [4] },
        ],
      ],
    ],
  ])('%s', (_, writes, expected) => {
    expect(toWaves(writes, LIMITS)).toEqual(expected)
  })

  test('keys of one name in two entities are two rows', () => {
    const rec = new Uint8Array(0)
    const writes = [row({ entity: 'b', rec }), row({ entity: 'a', rec }), row({ entity: 'b', key: 'a', rec })]
    expect(toWaves(writes, LIMITS)).toEqual([[{ kind: 'newer', places: [1, 2, 0] }]])
  })
})

test('toSegments takes a part of the rows', () => {
  expect(toSegments(rows('a=', 'b!', 'c=', 'd='), [0, 3], LIMITS)).toEqual([{ kind: 'newer', places: [0, 3] }])
})
