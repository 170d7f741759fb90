import { describe, expect, it } from 'vitest'
import { decideWrite, equalBytes, isSameWrite } from '../src/rows/guard.ts'
import type { Guard } from '../src/rows/row-store.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const stored = (seq: number, rec = 'stored') => ({ seq, rec: bytes(rec) })
const write = (seq: number, guard: Guard | undefined, rec = 'incoming') => ({
  entity: 'e',
  key: 'k',
  seq,
  rec: bytes(rec),
  updatedAtMs: 0,
  ...(guard !== undefined && { guard }),
})

// What is stored (seq, rec), the write (seq, rec), the guard, and the verdict: a number is `stale` with that seq.
const truth: readonly (readonly [
  [number, string] | undefined,
  [number, string],
  Guard | undefined,
  'applied' | number,
])[] = [
  // The default is 'monotonic'.
  [undefined, [0, 'a'], undefined, 'applied'],
  [[5, 'a'], [4, 'b'], undefined, 5],
  [[5, 'a'], [5, 'b'], undefined, 'applied'],
  [[5, 'a'], [6, 'b'], undefined, 'applied'],
  [undefined, [0, 'a'], 'monotonic', 'applied'],
  [[5, 'a'], [4, 'a'], 'monotonic', 5],
  [[5, 'a'], [5, 'a'], 'monotonic', 'applied'],
  [[5, 'a'], [5, 'b'], 'monotonic', 'applied'],
  [[5, ''], [4, 'a'], 'monotonic', 5],
  [[5, ''], [5, 'a'], 'monotonic', 'applied'],
  [undefined, [5, 'a'], 'absent', 'applied'],
  [[5, 'a'], [5, 'a'], 'absent', 'applied'],
  [[5, 'a'], [5, 'b'], 'absent', 5],
  [[5, 'a'], [6, 'a'], 'absent', 5],
  [[5, 'a'], [4, 'a'], 'absent', 5],
  [[5, ''], [6, 'a'], 'absent', 5],
  [[5, ''], [5, ''], 'absent', 'applied'],
  [undefined, [5, 'a'], { seq: 4 }, -1],
  [[4, 'a'], [5, 'b'], { seq: 4 }, 'applied'],
  [[4, ''], [5, 'b'], { seq: 4 }, 'applied'],
  [[3, 'a'], [5, 'b'], { seq: 4 }, 3],
  [[6, 'a'], [7, 'b'], { seq: 4 }, 6],
  [[5, 'b'], [5, 'b'], { seq: 4 }, 'applied'],
  [[5, 'a'], [5, 'b'], { seq: 4 }, 5],
  [[6, 'b'], [5, 'b'], { seq: 4 }, 6],
  [[0, 'a'], [1, 'b'], { seq: 0 }, 'applied'],
]

describe('decideWrite', () => {
  it.each(truth)('stored %j, write %j, guard %j: %s', (row, [seq, rec], guard, verdict) => {
    expect(decideWrite(row && stored(...row), write(seq, guard, rec))).toEqual(
      verdict === 'applied' ? { status: 'applied' } : { status: 'stale', seq: verdict },
    )
  })

  it('does not let a caller spoil the next verdict', () => {
    const result = decideWrite(undefined, write(1, 'absent'))
    expect(() => Object.assign(result, { status: 'stale' })).toThrow(TypeError)
  })
})

describe('isSameWrite', () => {
  it.each([
    [stored(5, 'a'), stored(5, 'a'), true],
    [stored(5, ''), stored(5, ''), true],
    [stored(5, 'a'), stored(6, 'a'), false],
    [stored(5, 'a'), stored(5, 'b'), false],
    [stored(5, 'a'), stored(5, 'ab'), false],
  ])('%#', (a, b, same) => {
    expect(isSameWrite(a, b)).toBe(same)
  })
})

describe('equalBytes', () => {
  it.each([
    [[], [], true],
    [[0], [0], true],
    [[0], [], false],
    [[1, 2], [1, 3], false],
    [[255], [-1], true],
  ])('%j and %j: %s', (a, b, same) => {
    expect(equalBytes(Uint8Array.from(a), Uint8Array.from(b))).toBe(same)
  })

  it('compares views, not the buffers behind them', () => {
    const buffer = Uint8Array.from([9, 1, 2, 9]).buffer
    expect(equalBytes(new Uint8Array(buffer, 1, 2), Uint8Array.from([1, 2]))).toBe(true)
  })
})
