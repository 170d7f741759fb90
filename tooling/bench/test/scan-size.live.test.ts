import { expect, test } from 'vitest'
import { benchScanSize } from '../src/scan-size.ts'

test('the two sizes are compared on each store that is there', async () => {
  const lines = await benchScanSize({ few: 400, many: 2000, rounds: 1, operations: 2 })
  expect(lines.map(({ what }) => what.split(':')[0])).toEqual(['SQLite', 'PostgreSQL', 'Redis'])
  for (const line of lines) {
    if (line.ours === 'skipped') expect(process.env['CI']).toBeUndefined()
    else expect(line.ratio).toBeGreaterThan(0)
  }
})
