import type { Records, Run } from '@keepsake/core'
import { recall, type RecallOptions } from '@keepsake/strategies'
import type { Middleware } from './middleware.ts'

export interface RecallMiddlewareOptions<C> extends Omit<RecallOptions, 'from'> {
  /** The records to look in, or which those are in this run: worked out from its context, never by the model. */
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the values are, they are shown
  from: Records<any> | ((run: Run<C>) => Records<any> | undefined)
}

/**
 * Recalls before a run: memories that have to do with what the user says are put before it, as delimited data with their
 * sources, for the model alone. The thread never holds them. See `recall` of `@keepsake/strategies`, which does it.
 *
 * ```ts
 * createAgent({ model, middleware: [recallMiddleware({ from: (run) => records(store, run.owner!, { index }) })] })
 * ```
 */
export function recallMiddleware<C = any>({ from, ...options }: RecallMiddlewareOptions<C>): Middleware<C> {
  // Made here too, so that options that cannot be used are refused when the agent is built.
  recall({ ...options, from: typeof from === 'function' ? () => undefined : from })
  return {
    name: 'recall',
    start: (run) => ({ prepare: recall({ ...options, from: typeof from === 'function' ? () => from(run) : from }) }),
  }
}
