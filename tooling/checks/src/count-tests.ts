/**
 * Adds up the reports that `pnpm test` left in each package and prints `N passed, N failed` (and `, N skipped`) alone
 * on a line. Exits with 1 if a test failed, if a package that has tests left no report, or if no test ran.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { workspaces } from './workspace.ts'

/** Of vitest's JSON report. A file that could not be loaded fails without a failed test. */
interface Report {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: { status: string; assertionResults: unknown[] }[]
}

let passed = 0
let failed = 0
let skipped = 0
const missing: string[] = []
for (const { dir, path, manifest } of workspaces()) {
  if (manifest.scripts?.['test'] === undefined) continue
  const file = join(dir, '.vitest/report.json')
  if (!existsSync(file)) {
    missing.push(path)
    continue
  }
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report
  const broken = report.testResults.filter((r) => r.status === 'failed' && r.assertionResults.length === 0).length
  passed += report.numPassedTests
  failed += report.numFailedTests + broken
  skipped += report.numPendingTests + report.numTodoTests
}

for (const path of missing) console.error(`${path} left no test report: its tests did not run to their end`)
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed > 0 || missing.length > 0 || passed === 0 ? 1 : 0
