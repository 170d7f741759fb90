import type { Edit } from './mutate.ts'
import type { Kind } from './settings.ts'

/** A way in which the engine could be wrong: an invariant of the protocol breaks, and a run must find it. */
export interface Mutant {
  name: string
  /** What it leaves out. */
  why: string
  edits: readonly Edit[]
  kind: Kind
}

export const mutants: readonly Mutant[] = []
