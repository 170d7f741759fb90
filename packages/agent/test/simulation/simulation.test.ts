import { expect, test } from 'vitest'
import { LABELS } from './labels.ts'
import { startSimulation, sumOf } from './start-simulation.ts'

/** Runs of every test run; `KEEPSAKE_SIMULATION_RUNS=1000000` for a longer one, `KEEPSAKE_SIMULATION_FROM` for other seeds. */
const RUNS = Number(process.env['KEEPSAKE_SIMULATION_RUNS'] ?? 10_000)
const FROM = Number(process.env['KEEPSAKE_SIMULATION_FROM'] ?? 1)
const PROCESSES = 2
/** Runs with encryption, and with an erasure: both are longer. */
const SOME_RUNS = Math.ceil(RUNS / 10)
/** A run takes some milliseconds; a machine may be busy. */
const TIMEOUT_MS = 300_000 + 60 * RUNS
const CRASHES_OF_EACH = 100

test(`${RUNS} runs with crashes at every await break no invariant`, { timeout: TIMEOUT_MS }, async () => {
  const share = Math.ceil(RUNS / PROCESSES)
  const parts = Array.from({ length: PROCESSES }, (_, i) => startSimulation({ from: FROM + i * share, runs: share }))
  const { runs, steps, awaited, crashed, failures } = sumOf(await Promise.all(parts))

  const labels = Object.keys(awaited).toSorted()
  const lines = labels.map(
    (label) => `${String(crashed[label] ?? 0).padStart(8)} ${String(awaited[label]).padStart(9)}  ${label}`,
  )
  process.stdout.write(`${runs} runs, ${steps} steps\n crashed   awaited\n${lines.join('\n')}\n`)

  // Each is replayed by: node packages/agent/test/simulation/simulate.ts --seed SEED --shrink --trace
  expect(failures).toEqual([])
  // Everything that a worker waits for is aimed at, and was hit.
  expect(labels).toEqual([...LABELS].toSorted())
  expect(labels.filter((label) => (crashed[label] ?? 0) < CRASHES_OF_EACH)).toEqual([])
})

test(
  `${SOME_RUNS} runs with encryption between the engine and its stores break no invariant`,
  { timeout: TIMEOUT_MS },
  async () => {
    const share = Math.ceil(SOME_RUNS / PROCESSES)
    const parts = Array.from({ length: PROCESSES }, (_, i) =>
      startSimulation({ from: FROM + i * share, runs: share, encrypted: true }),
    )
    const { runs, steps, failures } = sumOf(await Promise.all(parts))
    process.stdout.write(`encrypted: ${runs} runs, ${steps} steps\n`)
    expect(failures).toEqual([])
    // As much happens as without.
    expect(steps / runs).toBeGreaterThan(500)
  },
)

test.each([false, true])(
  'the same seeds are the same runs, encrypted: %s',
  { timeout: TIMEOUT_MS },
  async (encrypted) => {
    const [one, other] = await Promise.all([1, 2].map(() => startSimulation({ from: FROM, runs: 40, encrypted })))
    expect(one).toEqual(other)
    expect(one!.runs).toBe(40)
  },
)
