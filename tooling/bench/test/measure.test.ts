import { expect, test } from 'vitest'
import { formatLines, holds } from '../src/line.ts'
import { compare, median, WARM_UP_ROUNDS } from '../src/measure.ts'

test('both ways run the same turns, in rounds that each begins in turn', async () => {
  const order: string[] = []
  const { ratio, baseMicros, oursMicros } = await compare(
    { base: (turn) => order.push(`base ${turn}`), ours: async (turn) => order.push(`ours ${turn}`) },
    { rounds: 2, operations: 1 },
  )
  expect(WARM_UP_ROUNDS).toBe(3)
  const warmUp = ['ours 0', 'base 0', 'base 1', 'ours 1', 'ours 2', 'base 2']
  expect(order).toEqual([...warmUp, 'base 3', 'ours 3', 'ours 4', 'base 4'])
  for (const figure of [ratio, baseMicros, oursMicros]) expect(figure).toBeGreaterThan(0)
})

test('median', () => {
  expect(median([7])).toBe(7)
  expect(median([9, 1, 5])).toBe(5)
  expect(median([4, 1, 3, 2])).toBe(2.5)
})

test('a line says whether it is good enough', () => {
  const line = { what: 'load', base: '4.00 µs', ours: '5.00 µs', ratio: 1.25, goal: 1.25 }
  expect([holds(line), holds({ ...line, ratio: 1.26 }), holds({ what: 'load', base: '', ours: '' })]).toEqual([
    true,
    false,
    true,
  ])
  expect(formatLines([line, { ...line, what: 'a longer name', ours: '12.00 µs', ratio: 3 }]).split('\n')).toEqual([
    '                  base      ours  ratio  goal',
    'load           4.00 µs   5.00 µs   1.25  within 1.25',
    'a longer name  4.00 µs  12.00 µs   3.00  ABOVE 1.25',
  ])
})
