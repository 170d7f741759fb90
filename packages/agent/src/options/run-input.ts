import type { CallOptions, Message } from '@keepsake/core'

/** One turn. `context` is asked for by type where the agent has one. */
export type RunInput<C> = CallOptions & {
  /** Names the conversation: any text. */
  threadId: string
  /**
   * Names the run. Once it is stored, a run of the same id in the thread (for 30 days) is not run again: its result is served,
   * with `replayed`. A run that failed, or that was cut off before it was stored, does run again. Default: a fresh id. With a
   * history of your own it only names the append.
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
  ) &
  ([C] extends [undefined] ? { context?: undefined } : { context: C })
