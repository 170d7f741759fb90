import { expect, test } from 'vitest'
import { benchPrivacy } from '../src/privacy.ts'

test('the benchmark of encryption measures both ways', async () => {
  const lines = await benchPrivacy({ rounds: 1, operations: 1 })
  for (const { ratio } of lines) expect(ratio).toBeGreaterThan(0)
})
