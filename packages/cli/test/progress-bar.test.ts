import { expect, it } from 'vitest'
import { progressBar } from '../src/progress-bar.ts'

it.each<[what: string, done: number, total: number, bar: string]>([
  ['copying', 0, 10_000, '[------------------------]   0 %  copying: 0 of 10,000 rows'],
  // 2,600 of 10,000 is 6.24 of 24 cells.
  ['copying', 2600, 10_000, '[######------------------]  26 %  copying: 2,600 of 10,000 rows'],
  ['copying', 9999, 10_000, '[#######################-]  99 %  copying: 9,999 of 10,000 rows'],
  ['final pass', 1, 1, '[########################] 100 %  final pass: 1 of 1 row'],
  // Rows came since they were counted, or there are none.
  ['copying, pass 2', 12_000, 10_000, '[########################] 100 %  copying, pass 2: 12,000 of 10,000 rows'],
  ['copying', 0, 0, '[########################] 100 %  copying: 0 of 0 rows'],
])('%s: %d of %d', (what, done, total, bar) => {
  expect(progressBar(what, done, total)).toBe(bar)
})
