import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { SimulationReport } from './simulate.ts'

const FILE = fileURLToPath(new URL('simulate.ts', import.meta.url))
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

export interface SimulationOptions {
  from: number
  runs: number
  kind?: string
  mutant?: string
  encrypted?: boolean
  /** Whether to end with the first failure. */
  stop?: boolean
}

/** Simulates in a process of its own. */
export async function startSimulation({
  from,
  runs,
  kind,
  mutant,
  encrypted,
  stop,
}: SimulationOptions): Promise<SimulationReport> {
  const args = [
    FILE,
    '--from',
    `${from}`,
    '--runs',
    `${runs}`,
    ...(kind === undefined ? [] : ['--kind', kind]),
    ...(mutant === undefined ? [] : ['--mutant', mutant]),
    ...(encrypted === true ? ['--encrypted'] : []),
    ...(stop === true ? ['--stop'] : []),
  ]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: MAX_OUTPUT_BYTES })
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as SimulationReport
}

/** Several reports as one. */
export function sumOf(reports: readonly SimulationReport[]): SimulationReport {
  const sum: SimulationReport = { runs: 0, steps: 0, awaited: {}, crashed: {}, failures: [] }
  for (const { runs, steps, awaited, crashed, failures } of reports) {
    sum.runs += runs
    sum.steps += steps
    sum.failures.push(...failures)
    for (const [label, n] of Object.entries(awaited)) sum.awaited[label] = (sum.awaited[label] ?? 0) + n
    for (const [label, n] of Object.entries(crashed)) sum.crashed[label] = (sum.crashed[label] ?? 0) + n
  }
  return sum
}
