import { describe, expect, test } from 'vitest'
import { agentMutants, erasureMutants, mutants } from './mutants.ts'
import { startSimulation } from './start-simulation.ts'

/** A mutant that is not found in so many runs would not be found by those of the unmutated engine either. */
const MAX_RUNS = 3000
const TIMEOUT_MS = 600_000

test('all twelve of the protocol are here', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(12)
})

describe.each([...mutants, ...agentMutants, ...erasureMutants])('$name', ({ name, kind }) => {
  test(`is found, where the engine as it is breaks nothing`, { timeout: TIMEOUT_MS }, async () => {
    const found = await startSimulation({ from: 1, runs: MAX_RUNS, kind, mutant: name, stop: true })
    expect(found.failures).toHaveLength(1)
    const same = await startSimulation({ from: found.failures[0]!.seed, runs: 1, kind })
    expect(same.failures).toEqual([])
    process.stdout.write(`run ${found.runs}: ${found.failures[0]!.message}\n`)
  })
})
