/**
 * Adds up the reports that `pnpm test` left in each package and prints the totals alone on a line. Exits with 1 if a
 * test failed, if a package that has tests left no report, or if no test ran.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatTotals, totalsOf, type TestReport } from './test-totals.ts'
import { workspaces } from './workspace.ts'

const tested = workspaces()
  .filter(({ manifest }) => manifest.scripts?.['test'] !== undefined)
  .map(({ path, dir }) => ({ path, report: join(dir, '.vitest/report.json') }))
const silent = tested.filter(({ report }) => !existsSync(report))
const reports = tested
  .filter(({ report }) => existsSync(report))
  .map(({ report }) => JSON.parse(readFileSync(report, 'utf8')) as TestReport)

for (const { path } of silent) console.error(`${path} left no test report: its tests did not run to their end`)
const totals = totalsOf(reports)
console.log(formatTotals(totals))
process.exitCode = totals.failed > 0 || silent.length > 0 || totals.passed === 0 ? 1 : 0
