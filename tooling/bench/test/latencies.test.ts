import { expect, test } from 'vitest'
import { compareLatencies } from '../src/latencies.ts'

test('both ways run the same turns, in rounds that each begins in turn; warm-up is not counted', async () => {
  const order: string[] = []
  const { base, ours } = await compareLatencies(
    { base: (turn) => order.push(`base ${turn}`), ours: async (turn) => order.push(`ours ${turn}`) },
    { rounds: 2, operations: 1 },
  )
  const warmUp = ['ours 0', 'base 0', 'base 1', 'ours 1', 'ours 2', 'base 2']
  expect(order).toEqual([...warmUp, 'base 3', 'ours 3', 'ours 4', 'base 4'])
  for (const { p50Micros, p95Micros } of [base, ours]) {
    expect(p50Micros).toBeGreaterThan(0)
    expect(p95Micros).toBeGreaterThanOrEqual(p50Micros)
  }
})
