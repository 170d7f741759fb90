import { describe, expect, it } from 'vitest'
import { formatTotals, totalsOf, type TestReport } from '../src/test-totals.ts'

const report = (change: Partial<TestReport>): TestReport => ({
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
  ...change,
})

describe('test totals', () => {
  it('add up, skipped and planned tests alike', () => {
    const reports = [
      report({ numPassedTests: 10, numPendingTests: 1 }),
      report({ numPassedTests: 5, numFailedTests: 2, numTodoTests: 3 }),
    ]
    expect(totalsOf(reports)).toEqual({ passed: 15, failed: 2, skipped: 4 })
  })

  it('count a file that could not be loaded as a failure, and a file with a failed test once', () => {
    const testResults = [
      { status: 'failed', assertionResults: [] },
      { status: 'failed', assertionResults: [{}, {}] },
      { status: 'passed', assertionResults: [{}] },
    ]
    expect(totalsOf([report({ numPassedTests: 2, numFailedTests: 1, testResults })]).failed).toBe(2)
  })

  it('are nothing without a report', () => {
    expect(totalsOf([])).toEqual({ passed: 0, failed: 0, skipped: 0 })
  })

  it.for([
    [{ passed: 3, failed: 0, skipped: 0 }, '3 passed, 0 failed'],
    [{ passed: 3, failed: 1, skipped: 2 }, '3 passed, 1 failed, 2 skipped'],
  ] as const)('are written as a line: %o', ([totals, line]) => {
    expect(formatTotals(totals)).toBe(line)
  })
})
