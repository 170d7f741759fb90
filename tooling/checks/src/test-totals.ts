/** What counts of vitest's JSON report. */
export interface TestReport {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: { status: string; assertionResults: readonly unknown[] }[]
}

export interface TestTotals {
  passed: number
  failed: number
  skipped: number
}

/** Adds reports up. A file that could not be loaded has no test that failed, and counts as one. */
export function totalsOf(reports: readonly TestReport[]): TestTotals {
  const totals = { passed: 0, failed: 0, skipped: 0 }
  for (const report of reports) {
    const broken = report.testResults.filter((r) => r.status === 'failed' && r.assertionResults.length === 0)
    totals.passed += report.numPassedTests
    totals.failed += report.numFailedTests + broken.length
    totals.skipped += report.numPendingTests + report.numTodoTests
  }
  return totals
}

/** `12 passed, 0 failed`, and `, 3 skipped` where some were. */
export function formatTotals({ passed, failed, skipped }: TestTotals): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
