import type { Run } from '@keepsake/core'
import type { Middleware, RunHooks } from './middleware.ts'
import { during } from './run-failed.ts'
import type { RunSignal } from './run-signal.ts'

/** A middleware that takes part in a run. */
export interface StartedMiddleware {
  name: string
  hooks: RunHooks
}

/** Starts them in order, one after the other. Those that have nothing to do in this run are left out. */
export async function startMiddleware(
  middleware: readonly Middleware[],
  run: Run,
  stop: RunSignal,
): Promise<StartedMiddleware[]> {
  const started: StartedMiddleware[] = []
  for (const one of middleware) {
    stop.check()
    const hooks = await during(`start of the middleware "${one.name}"`, () => one.start?.(run))
    if (hooks !== undefined && hooks !== null) started.push({ name: one.name, hooks })
  }
  return started
}
