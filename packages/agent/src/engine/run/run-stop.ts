import { KeepsakeError, type Storable } from '@keepsake/core'
import type { Failure } from '../rows/head.ts'

/** Why a run of a handler is over before the handler is. */
export type Stop =
  | { kind: 'suspended'; question: Storable }
  /** Another worker has the activation. */
  | { kind: 'lost' }
  /** The handler has to run again from the start, and is served what was read. */
  | { kind: 'restart' }
  | { kind: 'failed'; failure: Failure }
  /** The store, or the caller, ended it: the activation stays as it is. */
  | { kind: 'broken'; error: unknown }

/** One run of a handler, which may be stopped while the handler goes on in JavaScript. */
export interface RunStop {
  /** Fires with the stop. */
  readonly signal: AbortSignal
  readonly stopped: Promise<Stop>
  readonly stop: Stop | undefined
  end(stop: Stop): void
  /** Throws once it was stopped or the handler has ended. */
  check(): void
  /** From now on every call of the handler's throws. */
  close(): void
}

const SAID: Record<Stop['kind'] | 'closed', string> = {
  suspended: 'This activation is suspended at a question: nothing more of this run counts.',
  lost: 'Another worker has taken this activation over: nothing more of this run counts.',
  restart: 'This run is out of date and begins again: nothing more of it counts.',
  failed: 'This activation has failed: nothing more of it counts.',
  broken: 'This attempt was ended: nothing more of it counts.',
  closed: 'The handler of this activation has ended: await every call before it returns.',
}

export function runStop(): RunStop {
  const controller = new AbortController()
  const stopped = Promise.withResolvers<Stop>()
  let stop: Stop | undefined
  let closed = false
  return {
    signal: controller.signal,
    stopped: stopped.promise,
    get stop() {
      return stop
    },
    end(why) {
      if (stop !== undefined || closed) return
      stop = why
      stopped.resolve(why)
      controller.abort(errorOf(why))
    },
    check() {
      if (stop !== undefined) throw errorOf(stop)
      if (closed) throw new KeepsakeError('aborted', SAID.closed)
    },
    close() {
      closed = true
    },
  }
}

function errorOf(stop: Stop): KeepsakeError {
  return new KeepsakeError('aborted', SAID[stop.kind], stop.kind === 'broken' ? { cause: stop.error } : {})
}
