import { hash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { replayed, seeded } from './choices.ts'
import { agentMutants, erasureMutants, mutants } from './mutants.ts'
import { mutate } from './mutate.ts'
import { shrink } from './shrink.ts'
import type { RunResult } from './run.ts'
import type { Kind } from './settings.ts'

/** What a process that simulates reports, as JSON on its last line. */
export interface SimulationReport {
  runs: number
  steps: number
  /** How often each thing that a worker can wait for was waited for, and how often the worker died meanwhile. */
  awaited: Record<string, number>
  crashed: Record<string, number>
  failures: { seed: number; invariant: string; message: string }[]
}

/**
 * Simulates `--runs` seeds from `--from` on. `--seed 7 --trace` replays one, step by step; `--shrink` makes it simpler
 * first. `--mutant` changes the engine as it is loaded, `--encrypted` puts encryption between it and its stores, and `--stop`
 * ends with the first failure.
 */
const { values: given } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string' },
    mutant: { type: 'string' },
    kind: { type: 'string', default: 'mixed' },
    stop: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    encrypted: { type: 'boolean', default: false },
  },
})

const mutant =
  given.mutant === undefined
    ? undefined
    : [...mutants, ...agentMutants, ...erasureMutants].find(({ name }) => name === given.mutant)
if (given.mutant !== undefined && mutant === undefined) throw new Error(`there is no mutant ${given.mutant}`)
const allMade = mutate(mutant?.edits ?? [])
const { runSimulation } = await import('./run.ts')
const { GRACE_MS, waiting } = await import('./erasure.ts')
allMade()

// A digest is made by other threads, which end when they like: the same seed would not be the same run.
Object.defineProperty(crypto.subtle, 'digest', {
  value: async (_: string, data: Uint8Array) => new Uint8Array(hash('sha256', data, 'buffer')).buffer,
})
// What waits before it tries again waits for no time: in a run that is the scheduler's alone.
globalThis.setTimeout = ((callback: () => void, ms: number) => {
  if (ms === GRACE_MS && waiting.current !== undefined) waiting.current(callback)
  else queueMicrotask(callback)
}) as never

const kind = given.kind as Kind
const { encrypted: encrypts } = given
if (given.seed === undefined) {
  process.stdout.write(`${JSON.stringify(await simulateAll(Number(given.from), Number(given.runs)))}\n`)
} else {
  await replay(Number(given.seed))
}

async function simulateAll(from: number, runs: number): Promise<SimulationReport> {
  const report: SimulationReport = { runs: 0, steps: 0, awaited: {}, crashed: {}, failures: [] }
  for (let seed = from; seed < from + runs; seed++) {
    const { violation, steps, awaited, crashed } = await runSimulation({ choose: seeded(seed), kind, encrypts })
    report.runs++
    report.steps += steps
    for (const [label, n] of awaited) report.awaited[label] = (report.awaited[label] ?? 0) + n
    for (const [label, n] of crashed) report.crashed[label] = (report.crashed[label] ?? 0) + n
    if (violation === undefined) continue
    report.failures.push({ seed, invariant: violation.invariant, message: violation.message })
    if (given.stop) break
  }
  return report
}

async function replay(seed: number): Promise<void> {
  const made: number[] = []
  const first = await runSimulation({ choose: seeded(seed, made), kind, encrypts })
  const choices = given.shrink && first.violation !== undefined ? await shrink(made, again, first.violation) : made
  const { violation } = await runSimulation({
    choose: replayed(choices),
    kind,
    encrypts,
    ...(given.trace && { trace: (line: string) => process.stdout.write(`${line}\n`) }),
  })
  process.stdout.write(`${violation?.stack ?? 'no invariant was broken'}\n`)
}

function again(choices: readonly number[]): Promise<RunResult> {
  return runSimulation({ choose: replayed(choices), kind, encrypts })
}
