import type { JSONValue } from '@ai-sdk/provider'
import {
  KeepsakeError,
  ownerEntity,
  records,
  type Records,
  type RowStore,
  type RowWrite,
  type TurnMark,
} from '@keepsake/core'
import type { Activation } from '../activation.ts'
import { fingerprint } from '../fingerprint.ts'
import type { Ground } from '../ground.ts'
import { stagedStore, stagingClock, type Staged } from '../longterm/staged-store.ts'
import type { MemoryBlob } from '../memory/memory-blob.ts'
import { workingMemory } from '../memory/working-memory.ts'
import type { Active } from '../rows/head.ts'
import type { RunStop } from './run-stop.ts'
import type { ScopedCalls } from './scoped-calls.ts'

/** What handlers of our own have beside the activation. */
export interface InnerActivation extends ScopedCalls {
  /** Adds a row to the thread's history, made when the event is decided: it is there once that is committed. */
  say(row: SaidRow): void
  /** What the caller passed along: of whoever runs it, not of who delivered the event. */
  readonly caller: unknown
}

/** Makes the row that a commit adds to the thread, which names the commit and the one before that added one. */
export type SaidRow = (mark: TurnMark) => Promise<RowWrite>

export interface ContextOptions {
  id: string
  active: Active
  blob: MemoryBlob
  staged: Staged
  longterm: RowStore | undefined
  calls: ScopedCalls
  stop: RunStop
  said: { row?: SaidRow }
  caller: unknown
}

export function handlerContext(
  ground: Ground,
  { id, active, blob, staged, longterm, calls, stop, said, caller }: ContextOptions,
): { activation: Activation; inner: InnerActivation } {
  const { s, nowMs, event } = active
  const memory = workingMemory(blob, { id, nowMs, bounds: ground.options.bounds, reserved: true })
  const whose = longterm && ground.options.subjectOf(id, event.data)
  const subject = whose?.length === 1 && whose[0] === id ? undefined : whose
  const activation: Activation = {
    entity: id,
    seq: s,
    nowMs,
    event: { id: event.id, data: structuredClone(event.data) },
    signal: stop.signal,
    idempotencyKey: `keepsake-${fingerprint([ground.options.kind, id, event.id])}-${s}`,
    memory: guarded(memory, stop),
    longterm:
      longterm === undefined
        ? withoutLongterm()
        : guarded(
            records(
              stagedStore(longterm, ownerEntity(id), staged, (read) => calls.outside(read)),
              id,
              { clock: stagingClock(ground.clock, s, nowMs), ...(subject !== undefined && { subject }) },
            ),
            stop,
          ),
    callModel: calls.callModel,
    step: calls.step,
    interrupt: calls.interrupt,
  }
  return {
    activation,
    inner: {
      ...calls,
      caller,
      say(row) {
        stop.check()
        said.row = row
      },
    },
  }
}

/** What of records gives a listing at once. */
const LISTINGS = ['list', 'prefixes', 'search']

/** Methods that fail once the run is over: what they would do counts no more. */
function guarded<T extends object>(methods: T, stop: RunStop): T {
  const checked = Object.entries(methods).map(([name, method]: [string, (...args: unknown[]) => unknown]) => {
    function call(...args: unknown[]): unknown {
      stop.check()
      return method(...args)
    }
    return [name, LISTINGS.includes(name) ? call : async (...args: unknown[]) => call(...args)]
  })
  return Object.fromEntries(checked) as T
}

function noLongterm(): never {
  throw new KeepsakeError(
    'unsupported',
    'This engine has no long-term memory: pass createEngine({ longterm }), a store or its URI.',
  )
}

function withoutLongterm(): Records<JSONValue> {
  const names = ['get', 'getMany', 'put', 'putMany', 'update', 'delete', 'deleteAll']
  const methods = [
    ...LISTINGS.map((name) => [name, noLongterm]),
    ...names.map((name) => [name, async () => noLongterm()]),
  ]
  return Object.fromEntries(methods) as Records<JSONValue>
}
