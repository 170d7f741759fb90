import { expect, test } from 'vitest'
import { benchFiles, measureFiles } from '../src/files.ts'

test('the prompt that is measured holds the ten files', async () => {
  const { disk, memory, length } = await measureFiles({ rounds: 1, operations: 1 })
  expect(length).toBeGreaterThan(10 * 1500)
  for (const { oursMicros } of [disk, memory]) expect(oursMicros).toBeGreaterThan(0)
})

test('the table has a budget for each place', async () => {
  const lines = await benchFiles({ rounds: 1, operations: 1 })
  expect(lines.filter(({ goal }) => goal === 1)).toHaveLength(2)
})
