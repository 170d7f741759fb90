import { consolidator, type ConsolidatorOptions } from '@keepsake/strategies'
import type { Records, Run } from '@keepsake/core'
import type { Middleware } from './middleware.ts'

export interface ConsolidateMiddlewareOptions<C> extends Omit<ConsolidatorOptions, 'memories'> {
  /** Long-term memory, or which it is in this run: worked out from its context, never by the model. */
  // oxlint-disable-next-line typescript/no-explicit-any -- values of any shape may lie beside them
  memories: Records<any> | ((run: Run<C>) => Records<any> | undefined)
}

/**
 * Keeps threads short: after a run, the oldest half of a long thread becomes one memory, and what lies before the thread's
 * watermark is no longer sent. See `consolidator` of `@keepsake/strategies`, which does it. The run waits for it; if it
 * fails, `onError` hears of it and the run does not.
 *
 * ```ts
 * createAgent({ model, store, middleware: [consolidateMiddleware({ model, chat, memories: (run) => records(store, run.owner!) })] })
 * ```
 */
export function consolidateMiddleware<C = any>(options: ConsolidateMiddlewareOptions<C>): Middleware<C> {
  const { memories } = options
  // Made here too, so that options that cannot be used are refused when the agent is built.
  consolidator({ ...options, memories: typeof memories === 'function' ? () => undefined : memories })
  return {
    name: 'consolidate',
    start(run) {
      const one = consolidator({
        ...options,
        memories: typeof memories === 'function' ? () => memories(run) : memories,
      })
      const { threadId, owner } = run
      return {
        prepare: one.prepare,
        // The run is over: what happens now is no step of it, and what is claimed is done once anyhow.
        async end() {
          await one.consolidate({ threadId, ...(owner !== undefined && { owner }) })
        },
      }
    },
  }
}
