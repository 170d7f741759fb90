import type { LanguageModelV4 } from '@ai-sdk/provider'
import { checkStore, KeepsakeError, parseStoreUri, type Key, type RowStore } from '@keepsake/core'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { checkNames, refuse } from '../options/refuse.ts'
import type { Activation } from './activation.ts'
import type { EngineOptions } from './engine.ts'
import type { FlushToLongterm } from './expiry/flush-to-longterm.ts'
import {
  dropOldestCompactor,
  MEMORY_HARD_CAP_BYTES,
  MEMORY_SOFT_CAP_BYTES,
  type Evictor,
  type MemoryBounds,
} from './memory/compactor.ts'
import type { Summarizer } from './memory/summarize-compactor.ts'
import type { InnerActivation } from './run/handler-context.ts'

/** The figures that an engine counts. */
export type Metric = 'keepsake.longterm.upserts' | 'keepsake.expiry.failed'

/** An engine's options, checked, with their defaults. */
export interface CheckedOptions {
  /** Keeps engines of different makes apart in one store. */
  kind: string
  handler(activation: Activation, inner: InnerActivation): Promise<unknown>
  event: StandardSchemaV1<unknown, unknown> | undefined
  /** `undefined`: nobody's. */
  subjectOf(entity: string, data: unknown): Key | undefined
  longterm: RowStore | string | undefined
  bounds: MemoryBounds
  summarizer: Summarizer | undefined
  ttlMs: number | undefined
  onExpire: FlushToLongterm | undefined
  /** Whether a handler that has changed may leave entries of its journal unused. */
  lenient: boolean
  /** Whether the signal of a delivery fails its event, which is otherwise left to the next delivery. */
  abortFails: boolean
  timeoutMs: number
  leaseMs: number
  waitMs: number
  dedupeMs: number
  count(metric: Metric, n: number): void
}

const NAMES = [
  'store',
  'handler',
  'event',
  'subject',
  'model',
  'longterm',
  'compactor',
  'summarizer',
  'ttlMs',
  'onExpire',
  'timeoutMs',
  'leaseMs',
  'waitMs',
  'dedupeMs',
  'clock',
] satisfies (keyof EngineOptions<unknown, unknown>)[]

const DEDUPE_MS = 30 * 24 * 60 * 60 * 1000
/** The longest delay that timers take. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Throws `invalid_value` that names the option. Calls nothing, opens nothing and reads nothing. */
export function checkEngineOptions(
  options: EngineOptions<any, any>,
): Omit<CheckedOptions, 'kind' | 'count' | 'lenient' | 'abortFails'> {
  if (typeof options !== 'object' || options === null) throw refuse('The options of createEngine', 'an object', options)
  checkNames('createEngine', options, NAMES)
  const { store, handler, event, subject, model, longterm, ttlMs, onExpire } = options
  checkStore(store)
  for (const [name, value] of Object.entries({ handler, ...(subject !== undefined && { subject }) })) {
    if (typeof value !== 'function') throw refuse(name, 'a function', value)
  }
  if (event !== undefined && typeof event?.['~standard']?.validate !== 'function')
    throw refuse('event', 'a Standard Schema, such as z.object({ orderId: z.string() })', event)
  checkModel(model)
  if (typeof longterm === 'string') parseStoreUri(longterm)
  else if (longterm !== undefined) checkStore(longterm, 'longterm')
  if (onExpire !== undefined && longterm === undefined) {
    throw new KeepsakeError(
      'invalid_value',
      'onExpire writes to long-term memory, and createEngine was given no longterm: pass a store or its URI, or leave onExpire out.',
    )
  }
  const { evictor, summarizer } = checkCompactors(options)
  return {
    handler,
    event,
    subjectOf: (entity, data) => [subject === undefined ? entity : subject({ entity, data: data as never })],
    longterm,
    bounds: { evictor, evictFromBytes: evictFrom(evictor, summarizer) },
    summarizer,
    ttlMs: ttlMs === undefined ? undefined : milliseconds('ttlMs', ttlMs, 1, Number.MAX_SAFE_INTEGER),
    onExpire: onExpire === undefined ? undefined : checkOnExpire(onExpire),
    timeoutMs: milliseconds('timeoutMs', options.timeoutMs ?? 600_000, 1, MAX_TIMER_MS),
    leaseMs: milliseconds('leaseMs', options.leaseMs ?? 30_000, 3, MAX_TIMER_MS),
    waitMs: milliseconds('waitMs', options.waitMs ?? 0, 0, MAX_TIMER_MS),
    dedupeMs: milliseconds('dedupeMs', options.dedupeMs ?? DEDUPE_MS, 1, Number.MAX_SAFE_INTEGER / 2),
  }
}

function checkModel(model: LanguageModelV4 | undefined): void {
  if (model === undefined || (typeof model?.doGenerate === 'function' && model.specificationVersion === 'v4')) return
  throw refuse('model', "a LanguageModelV4 of an AI SDK provider, such as openai('gpt-5')", model)
}

function checkCompactors({ compactor, summarizer }: EngineOptions<any, any>): {
  evictor: Evictor | undefined
  summarizer: Summarizer | undefined
} {
  const tier1 = compactor === undefined ? dropOldestCompactor() : compactor
  if (tier1 !== null && tier1?.name !== 'drop_oldest')
    throw refuse('compactor', 'one that dropOldestCompactor() made, or null for none', compactor)
  if (summarizer !== undefined && summarizer?.name !== 'summarize')
    throw refuse('summarizer', 'one that summarizeCompactor() made', summarizer)
  return { evictor: (tier1 ?? undefined) as Evictor | undefined, summarizer: summarizer as Summarizer | undefined }
}

/** With a summarizer only at the hard cap, so that it gets its turn. */
function evictFrom(evictor: Evictor | undefined, summarizer: Summarizer | undefined): number {
  return evictor === undefined || summarizer !== undefined ? MEMORY_HARD_CAP_BYTES : MEMORY_SOFT_CAP_BYTES
}

function checkOnExpire(onExpire: NonNullable<EngineOptions<any, any>['onExpire']>): FlushToLongterm {
  if (onExpire.name === 'flush_to_longterm') return onExpire as FlushToLongterm
  throw refuse('onExpire', 'one that flushToLongterm() made', onExpire)
}

function milliseconds(name: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value
  const shown = typeof value === 'number' ? String(value) : typeof value
  throw new KeepsakeError(
    'invalid_value',
    `${name} must be a whole number of milliseconds from ${min} to ${max}; it is ${shown}.`,
  )
}
