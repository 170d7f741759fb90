import { expect, test } from 'vitest'
import { compareLatencies } from '../src/latencies.ts'

test('both ways run the same turns, each first in every second; the warm-up is not counted', async () => {
  const order: string[] = []
  const { base, ours } = await compareLatencies(
    { base: (turn) => order.push(`base ${turn}`), ours: async (turn) => order.push(`ours ${turn}`) },
    { rounds: 3, operations: 1 },
  )
  const warmUp = ['base 0', 'ours 0']
  expect(order).toEqual([...warmUp, 'ours 1', 'base 1', 'base 2', 'ours 2', 'ours 3', 'base 3'])
  for (const { p50Micros, p95Micros } of [base, ours]) {
    expect(p50Micros).toBeGreaterThan(0)
    expect(p95Micros).toBeGreaterThanOrEqual(p50Micros)
  }
})
