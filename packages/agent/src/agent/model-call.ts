import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { describeType, KeepsakeError, type Clock } from '@keepsake/core'
import { collectStream } from '../stream/collect-stream.ts'
import type { Emit } from '../stream/stream-part.ts'
import { answerCallIds, withCallId, type ThreadCallIds } from '../tools/call-ids.ts'
import { onion, type RunHooks } from './middleware.ts'

export interface ModelCallOptions {
  model: LanguageModelV4
  hooks: readonly RunHooks[]
  callIds: ThreadCallIds
  clock: Clock
  /** Of the run. */
  signal: AbortSignal
  /** Takes the answer as it comes. Left out: the model is asked for the whole. */
  emit?: Emit | undefined
}

export interface ModelAnswer {
  result: LanguageModelV4GenerateResult
  /** Whether a stream of the model was sent on. */
  streamed: boolean
  firstOutputMs?: number | undefined
}

/**
 * One model call with the middleware around it. Its calls have ids that are new to the thread. Rejects with whatever the
 * model or a middleware did, and for an answer that is none: malformed, interrupted or ended by an error.
 */
export async function callModel(request: LanguageModelV4CallOptions, options: ModelCallOptions): Promise<ModelAnswer> {
  const { model, hooks, callIds, clock, signal, emit } = options
  let streamed = false
  let firstOutputMs: number | undefined

  async function ask(asked: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    if (emit === undefined) return model.doGenerate(asked)
    const { stream } = await model.doStream(asked)
    streamed = true
    const onOutput = (): void => void (firstOutputMs ??= clock.nowMs())
    return collectStream(stream, { ids: answerCallIds(callIds, clock), emit, onOutput, signal })
  }

  const wraps = hooks.flatMap((hook) => (hook.wrapModel === undefined ? [] : [hook.wrapModel.bind(hook)]))
  const result = await onion(wraps, ask)(request)
  checkAnswer(result)
  const ids = answerCallIds(callIds, clock)
  const content = result.content.map((part) => (isObject(part) ? withCallId(part, ids) : part))
  return { result: { ...result, content }, streamed, firstOutputMs }
}

function checkAnswer(result: LanguageModelV4GenerateResult): void {
  if (!Array.isArray(isObject(result) ? result.content : undefined)) {
    throw new KeepsakeError(
      'invalid_value',
      `The model's answer has no list of content; it is ${describeType(result)}.`,
    )
  }
  const reason = result.finishReason?.unified
  if (reason === 'error') throw new KeepsakeError('unavailable', 'The model says that an error ended its answer.')
  if (reason === 'interrupted') {
    throw new KeepsakeError('unavailable', "The model's answer was interrupted and may be cut off.", {
      retryable: true,
    })
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
