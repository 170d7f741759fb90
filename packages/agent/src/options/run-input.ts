import type { CallOptions, Message } from '@keepsake/core'

/** One turn. `context` is asked for by type where the agent has one. */
export type RunInput<C> = CallOptions & {
  /** Names the conversation: any text. */
  threadId: string
  /**
   * Names the run. Once it is stored, a run of the same id in the thread (for 30 days) is not run again: its result is served,
   * with `replayed`. A run that failed runs again, and one that was cut off goes on: with the same input, what its model and
   * tools have answered is not asked again. Default: a fresh id.
   */
  runId?: string
} & (
    | {
        /** What the user says. */
        prompt: string
      }
    | {
        /** Messages instead: with files, or several. Every call among them needs its result. */
        messages: readonly Message[]
      }
    | {
        /** Answers to a suspended run of the thread, one for each of its `approvals`: it goes on. A `runId` is not needed. */
        approvals: readonly { approvalId: string; approved: boolean; reason?: string }[]
      }
  ) &
  ([C] extends [undefined] ? { context?: undefined } : { context: C })
