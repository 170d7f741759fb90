import { formatCount } from './quantities.ts'

const CELLS = 24

/** `[#####-------------------]  20 %  copying: 2,000 of 10,000 rows`, as one line of at most some 70 columns. */
export function progressBar(what: string, done: number, total: number): string {
  // Rows that came since they were counted do not make the bar longer.
  const part = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.floor(part * CELLS)
  const percent = `${Math.floor(part * 100)}`.padStart(3)
  const bar = '#'.repeat(filled) + '-'.repeat(CELLS - filled)
  return `[${bar}] ${percent} %  ${what}: ${done.toLocaleString('en')} of ${formatCount(total, 'row')}`
}
