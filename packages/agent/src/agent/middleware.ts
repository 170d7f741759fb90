import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import type { Run } from '@keepsake/core'
import type { Prepare } from '@keepsake/strategies'
import type { Tools } from '../tools/tools.ts'
import type { RunResult, ToolCall } from './run-result.ts'

/** What a middleware does in one run. All of it is optional. */
export interface RunHooks {
  /** Added to the system message of this run, after the agent's own instructions and memory files. Never stored. */
  instructions?: string
  /** Changes what the model is sent, after the history's own `prepare`. What is stored stays as it is. */
  prepare?: Prepare
  /**
   * Around every model call: change the request, answer without a call, call again, change the answer. In a stream the
   * parts of the call have been sent on by the time that `next` resolves; text that is changed after that is stored
   * changed, but was streamed as it came.
   */
  wrapModel?(
    request: LanguageModelV4CallOptions,
    next: (request: LanguageModelV4CallOptions) => Promise<LanguageModelV4GenerateResult>,
  ): Promise<LanguageModelV4GenerateResult>
  /**
   * Around every tool that is run: `call.input` is checked, `next` gives what `execute` gave and rejects when it throws.
   * What this rejects with is handed to the model. Calls that cannot be run (unknown tool, wrong input) do not come here.
   */
  wrapTool?(call: ToolCall, next: (call: ToolCall) => Promise<unknown>): Promise<unknown>
  /** After the run was stored; the last middleware first. If it rejects, so does the run, which stays stored. */
  end?(result: RunResult): void | Promise<void>
}

/**
 * Something that takes part in every run. The first in the agent's list is outermost. What belongs to one run lives in
 * the closure of `start`:
 *
 * ```ts
 * const timing: Middleware = {
 *   name: 'timing',
 *   start(run) {
 *     const startedMs = performance.now()
 *     return { async end() { console.log(run.id, performance.now() - startedMs) } }
 *   },
 * }
 * ```
 */
export interface Middleware<C = any> {
  name: string
  /** Offered to the model beside the agent's own tools. */
  tools?: Tools<C>
  /** Called once a run, in order, after the history was loaded. */
  start?(run: Run<C>): RunHooks | void | Promise<RunHooks | void>
}

type Call<Q, R> = (request: Q) => Promise<R>

/** Puts `wraps` around `inner`, the first outermost. What throws inside one rejects. */
export function onion<Q, R>(
  wraps: readonly ((request: Q, next: Call<Q, R>) => Promise<R>)[],
  inner: Call<Q, R>,
): Call<Q, R> {
  return wraps.reduceRight<Call<Q, R>>((next, wrap) => async (request) => wrap(request, next), inner)
}
