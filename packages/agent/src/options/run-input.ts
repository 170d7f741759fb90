import type { CallOptions, Message } from '@keepsake/core'

/** One turn. `context` is asked for by type where the agent has one. */
export type RunInput<C> = CallOptions & {
  /** Names the conversation: any text. */
  threadId: string
  /** Names the run, so that it is stored once however often it is repeated. Default: a fresh id. */
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
