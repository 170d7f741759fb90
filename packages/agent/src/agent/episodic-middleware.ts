import { systemClock, untrustedSources, type Clock, type Records, type Run } from '@keepsake/core'
import { episodes, plainEpisode, recall, reportFailure, type OnError, type Reflect } from '@keepsake/strategies'
import type { Middleware } from './middleware.ts'

export interface EpisodicMiddlewareOptions<C> {
  /** Where episodes are, or which records those are in this run: worked out from its context, never by the model. */
  // oxlint-disable-next-line typescript/no-explicit-any -- values of any shape may lie beside them
  from: Records<any> | ((run: Run<C>) => Records<any> | undefined)
  /** How many episodes are shown at most. Default 3. */
  limit?: number
  /** Makes an episode of a run. Default `plainEpisode`, which asks no model; `reflectWith(model)` does. */
  reflect?: Reflect
  /** Hears of what failed. Default: a warning without content on the console. */
  onError?: OnError
  /** Default: the process's. */
  clock?: Clock
}

const DEFAULT_LIMIT = 3

/**
 * Recalls before a run the episodes that are like it, and records after it what happened, under the run's id. What is
 * recalled is data for the model alone; the thread never holds it. The episode of a run that read something untrusted is in
 * quarantine. If the recording fails, `onError` hears of it and the run
 * does not.
 *
 * ```ts
 * createAgent({ model, store, middleware: [episodicMiddleware({ from: (run) => records(store, run.owner!, { index }) })] })
 * ```
 */
export function episodicMiddleware<C = any>(options: EpisodicMiddlewareOptions<C>): Middleware<C> {
  const { from, limit = DEFAULT_LIMIT, reflect = plainEpisode, onError, clock = systemClock() } = options
  const step = (source: typeof from | (() => undefined), run?: Run<C>) =>
    recall({
      from: typeof source === 'function' ? () => (run === undefined ? undefined : source(run)) : source,
      prefix: ['episodes'],
      limit,
      name: 'episodes',
    })
  // Made here too, so that options that cannot be used are refused when the agent is built.
  step(from)
  return {
    name: 'episodic',
    start: (run) => ({
      prepare: step(from, run),
      async end({ messages, finishReason, replayed }) {
        if (replayed) return
        try {
          const records = typeof from === 'function' ? from(run) : from
          if (records === undefined) return
          const episode = await reflect({ messages, finishReason, atMs: clock.nowMs() })
          if (episode === undefined) return
          const ids = messages.flatMap(({ id }) => (id === undefined ? [] : [id]))
          await episodes(records).record(episode, { id: run.id, sources: [...ids, ...untrustedSources(messages)] })
        } catch (error) {
          reportFailure('An episode was not recorded', error, onError, run.threadId)
        }
      },
    }),
  }
}
