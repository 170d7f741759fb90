import { KeepsakeError, type Clock } from '@keepsake/core'

/** What stops a run: the caller's signal, or its time. */
export interface RunSignal {
  /** For the model, the tools and the stores of this run. */
  readonly signal: AbortSignal
  /** Throws once the run was stopped or its time is up: call it before everything that has an effect. */
  check(): void
  /** Rejects as soon as the run is stopped; what becomes of `work` after that is nobody's business. */
  race<T>(work: Promise<T>): Promise<T>
  /** Ends the timer and leaves the caller's signal alone: nothing of a finished run hangs on it. */
  release(): void
}

/** Watches `outer` and the time from now on. */
export function runSignal(outer: AbortSignal | undefined, timeoutMs: number, clock: Clock): RunSignal {
  const controller = new AbortController()
  const stopped = Promise.withResolvers<never>()
  // A run that ends by itself never looks at this promise.
  stopped.promise.catch(() => {})
  let error: KeepsakeError | undefined

  function stop(why: KeepsakeError, reason: unknown): void {
    release()
    error = why
    stopped.reject(why)
    controller.abort(reason)
  }
  const onAbort = (): void => {
    stop(
      new KeepsakeError('aborted', 'The run was aborted by its signal. Nothing was stored.', { cause: outer?.reason }),
      outer?.reason,
    )
  }
  const endsAtMs = clock.nowMs() + timeoutMs
  function onTimeout(): void {
    const why = new KeepsakeError(
      'run_failed',
      `The run took longer than its ${timeoutMs} ms (limits.timeoutMs) and was stopped. Nothing was stored.`,
      { retryable: true, details: { timeoutMs } },
    )
    stop(why, why)
  }
  const timer = setTimeout(onTimeout, timeoutMs)
  function release(): void {
    clearTimeout(timer)
    outer?.removeEventListener('abort', onAbort)
  }

  if (outer?.aborted) onAbort()
  else outer?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    check() {
      // A run that never waits for anything keeps the timer from firing.
      if (error === undefined && clock.nowMs() >= endsAtMs) onTimeout()
      if (error !== undefined) throw error
    },
    race: (work) => Promise.race([stopped.promise, work]),
    release,
  }
}
