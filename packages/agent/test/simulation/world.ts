import type { Checker } from './checker.ts'
import type { Choose } from './choices.ts'
import type { SimulatedEngine } from './engine-under-test.ts'
import type { Scheduler } from './scheduler.ts'
import type { Setting } from './settings.ts'

/** The processes that are simulated; each is started again when it dies. */
export const WORKERS = 3

/** Everything that a run is made of. */
export interface World {
  readonly choose: Choose
  readonly setting: Setting
  readonly scheduler: Scheduler
  readonly checker: Checker
  readonly trace: ((line: string) => void) | undefined
  /** The engine of the process that runs now. */
  engine(index: number): SimulatedEngine
  /** Does something as soon as the scheduler lets it begin, on a process that is alive then. */
  begin(index: number, name: string, task: (engine: SimulatedEngine) => void): void
  /** Ends the run with this. */
  fail(error: unknown): void
}
