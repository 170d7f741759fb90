import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { describeType, KeepsakeError, type Clock } from '@keepsake/core'
import { readContent, type AnsweredCall, type AssistantPart } from '../convert/from-content.ts'
import { toFinishReason, toUsage } from '../convert/usage.ts'
import { collectStream } from '../stream/collect-stream.ts'
import type { Emit } from '../stream/stream-part.ts'
import { answerCallIds, withCallId, type ThreadCallIds } from '../tools/call-ids.ts'
import { onion, type RunHooks } from './middleware.ts'
import type { FinishReason, Usage } from './run-result.ts'

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

/** What a model said, in our own terms. */
export interface ModelAnswer {
  parts: AssistantPart[]
  /** Those of the parts that are ours to run. */
  calls: AnsweredCall[]
  finishReason: FinishReason
  rawFinishReason: string | undefined
  usage: Usage
  response: { id: string; timestamp: Date; modelId: string }
  providerMetadata: SharedV4ProviderMetadata | undefined
  /** Whether a stream of the model was sent on. */
  streamed: boolean
  firstOutputMs: number | undefined
}

/**
 * One model call with the middleware around it. Its calls have ids that are new to the thread. Rejects with whatever the
 * model or a middleware did, and for an answer that is none: malformed, interrupted or ended by an error.
 */
export async function callModel(request: LanguageModelV4CallOptions, options: ModelCallOptions): Promise<ModelAnswer> {
  const { model, hooks, callIds, clock, signal, emit } = options
  const startedMs = clock.nowMs()
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
  const { response, providerMetadata, finishReason } = result
  const { parts, calls } = readContent(result.content.map((part) => (isObject(part) ? withCallId(part, ids) : part)))
  const called = new Set(calls.map(({ part }) => part.toolCallId))
  const isOurs = (id: string): boolean => called.has(id) || callIds.isOurs(id)
  return {
    // A call that we run has one result, and that is not the model's to give.
    parts: parts.filter((part) => part.type !== 'tool-result' || !isOurs(part.toolCallId)),
    calls,
    finishReason: toFinishReason(finishReason),
    rawFinishReason: finishReason?.raw,
    usage: toUsage(result.usage),
    response: {
      id: response?.id ?? clock.newId(),
      timestamp: response?.timestamp ?? new Date(startedMs),
      modelId: response?.modelId ?? model.modelId,
    },
    providerMetadata,
    streamed,
    firstOutputMs,
  }
}

/** Models are not type-checked, and not every answer is one. */
function checkAnswer(result: LanguageModelV4GenerateResult): void {
  const content: unknown = isObject(result) ? result.content : undefined
  if (!Array.isArray(content)) {
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
  if (content.some((part: { type?: unknown } | null) => part?.type === 'tool-approval-request')) {
    throw new KeepsakeError('unsupported', 'The provider asks for an approval of a tool that it runs itself.')
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
