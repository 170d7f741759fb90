import { expect, test } from 'vitest'
import { measureAgent } from '../src/agent.ts'

test('every turn of the benchmark does its work', async () => {
  const times = await measureAgent({ rounds: 1, operations: 1 })
  for (const value of Object.values(times)) expect(value).toBeGreaterThan(0)
})
