import type { JSONValue, LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import type { ErrorCode, Records } from '@keepsake/core'
import type { WorkingMemory } from './memory/working-memory.ts'

/** One event of one entity, as its handler sees it. Everything here is the same however often the handler runs again. */
export interface Activation<E = any> {
  readonly entity: string
  /** Version of the activation: later ones of this entity have greater ones. */
  readonly seq: number
  /** When the event was claimed, in Unix milliseconds: the handler's "now". */
  readonly nowMs: number
  readonly event: { readonly id: string; readonly data: E }
  /** Fires when this attempt is over: by `timeoutMs`, by the caller's signal, or because another worker took it over. */
  readonly signal: AbortSignal
  /** The same for every attempt at this activation: hand it, with a name for the call, to services that deduplicate. */
  readonly idempotencyKey: string
  /** Committed with the event. At most 1 MiB; entries that were not used for long may be evicted. */
  readonly memory: WorkingMemory
  /**
   * The entity's long-term records, staged: reads see what this activation wrote, and it is stored once the activation is
   * decided. Its methods throw `unsupported` where the engine has no `longterm`.
   */
  readonly longterm: Records<JSONValue>
  /**
   * Calls the engine's model. The answer is journaled: after a crash it is served again, without a call. It comes as JSON, so
   * `request` and the response's headers and body are left out.
   */
  readonly callModel: (request: LanguageModelV4CallOptions) => Promise<LanguageModelV4GenerateResult>
  /**
   * Runs `fn` once: its result, or its failure, is journaled and served again. The result must be storable (JSON and bytes).
   * If the process dies within `fn`, it runs again.
   */
  readonly step: <T>(name: string, fn: () => Promise<T>) => Promise<T>
  /** Asks somebody and suspends until `engine.resume` brings the answer. Not to be caught: what follows does not run. */
  readonly interrupt: <A = JSONValue>(question: JSONValue) => Promise<A>
}

/** What became of an event. */
export type Outcome<O> =
  /** `replayed`: it had been committed before. */
  | { status: 'completed'; output: O; replayed: boolean }
  /** A question is open: this event's, or that of one before it. */
  | { status: 'suspended'; questionId: string; question: JSONValue }
  /** Another worker has it, or one before it. Deliver it again later. */
  | { status: 'busy' }
  /** It is a dead letter: only `retry` runs it again. */
  | { status: 'failed'; error: { code: ErrorCode; message: string } }
