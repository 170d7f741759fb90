import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider'
import { KeepsakeError, type Clock, type Message, type Run } from '@keepsake/core'
import { readContent, type AnsweredCall, type AssistantPart } from '../convert/from-content.ts'
import { toPrompt } from '../convert/to-prompt.ts'
import { addUsage, toFinishReason, toUsage } from '../convert/usage.ts'
import { callParts, textParts } from '../stream/call-parts.ts'
import { stepPerformance } from '../stream/step-performance.ts'
import type { Emit } from '../stream/stream-part.ts'
import { threadCallIds } from '../tools/call-ids.ts'
import { refuseToolCalls, runToolCalls, type ToolCallResult } from '../tools/tool-calls.ts'
import type { ToolSchemas } from '../tools/tool-schemas.ts'
import type { ToolMap } from '../tools/tools.ts'
import type { Limits } from './limits.ts'
import type { RunHooks } from './middleware.ts'
import { callModel, type ModelAnswer } from './model-call.ts'
import { runFailed } from './run-failed.ts'
import type { FinishReason, Usage } from './run-result.ts'
import type { RunSignal } from './run-signal.ts'

export interface LoopOptions {
  model: LanguageModelV4
  /** Without the prompt: what is the same for every call. */
  request: Omit<LanguageModelV4CallOptions, 'prompt'>
  /** The one leading system message; empty for none. */
  system: string
  /** What the model is sent of the thread, the input included. */
  messages: readonly Message[]
  /** All of the thread, the input included. */
  thread: readonly Message[]
  tools: ToolMap
  schemas: ToolSchemas
  hooks: readonly RunHooks[]
  run: Run
  limits: Required<Limits>
  clock: Clock
  stop: RunSignal
  emit?: Emit | undefined
}

export interface LoopResult {
  produced: Message[]
  usage: Usage
  finishReason: FinishReason
  rawFinishReason: string | undefined
}

/**
 * Asks the model, runs the tools that it calls, and asks again with their results, until it calls none or a limit is
 * reached. Every call that it returns has its result. Rejects with `run_failed` when the model fails.
 */
export async function runLoop(options: LoopOptions): Promise<LoopResult> {
  const { limits, clock, stop } = options
  const emit = options.emit ?? (() => {})
  const callIds = threadCallIds(options.thread)
  const prompt: LanguageModelV4Message[] = toPrompt(options.messages)
  if (options.system !== '') prompt.unshift({ role: 'system', content: options.system })
  const messages = [...options.messages]
  const produced: Message[] = []
  let usage = toUsage(undefined)

  function add(message: Message): void {
    produced.push(message)
    messages.push(message)
    // Only what is new is converted: a step costs the same whatever the length of the thread.
    prompt.push(...toPrompt([message]))
  }

  for (let step = 1; ; step++) {
    stop.check()
    emit({ type: 'start-step', request: {}, warnings: [] })
    const startedMs = clock.nowMs()
    const { result, streamed, firstOutputMs } = await ask(step)
    stop.check()
    const answeredMs = clock.nowMs()
    const stepUsage = toUsage(result.usage)
    usage = addUsage(usage, stepUsage)
    const finishReason = toFinishReason(result.finishReason)
    const { parts, calls } = read(result.content, step)
    if (!streamed) textParts(parts).forEach(emit)
    callParts(parts).forEach(emit)

    const sentCount = messages.length
    if (parts.length > 0) add({ role: 'assistant', content: parts })
    // An answer that was cut off may have been cut off within a call.
    const cutOff = finishReason === 'length' || finishReason === 'content-filter'
    const results = cutOff ? refuse(calls, finishReason) : await runCalls(calls, sentCount)
    if (results.length > 0) add({ role: 'tool', content: results.map(({ part }) => part) })
    for (const { toolCallId } of calls.map(({ part }) => part)) callIds.add(toolCallId)

    const toolExecutionMs = Object.fromEntries(results.map(({ part, executionMs }) => [part.toolCallId, executionMs]))
    const rawFinishReason = result.finishReason?.raw
    emit({
      type: 'finish-step',
      response: {
        id: result.response?.id ?? clock.newId(),
        timestamp: result.response?.timestamp ?? new Date(startedMs),
        modelId: result.response?.modelId ?? options.model.modelId,
      },
      usage: stepUsage,
      performance: stepPerformance(
        { startedMs, firstOutputMs, answeredMs, endedMs: clock.nowMs(), toolExecutionMs },
        stepUsage,
      ),
      finishReason,
      rawFinishReason,
      providerMetadata: result.providerMetadata,
    })
    if (calls.length === 0 || cutOff) return { produced, usage, finishReason, rawFinishReason }
    if (step >= limits.maxSteps) return { produced, usage, finishReason: 'tool-calls', rawFinishReason }
    if ((usage.totalTokens ?? 0) >= limits.maxTokens)
      return { produced, usage, finishReason: 'length', rawFinishReason }
  }

  async function ask(step: number): Promise<ModelAnswer> {
    const { model, hooks, request } = options
    try {
      // A list of its own for each call: models and middleware may keep it.
      return await callModel(
        { ...request, prompt: [...prompt] },
        { model, hooks, callIds, clock, signal: stop.signal, emit: options.emit },
      )
    } catch (error) {
      stop.check()
      throw modelFailed(error, step)
    }
  }

  function read(
    content: Parameters<typeof readContent>[0],
    step: number,
  ): { parts: AssistantPart[]; calls: AnsweredCall[] } {
    try {
      const answer = readContent(content)
      if (answer.parts.some(({ type }) => type === 'tool-approval-request')) {
        throw new KeepsakeError(
          'unsupported',
          'The provider asks for an approval of a tool that it runs itself; no run can give it.',
        )
      }
      return answer
    } catch (error) {
      throw modelFailed(error, step)
    }
  }

  function modelFailed(error: unknown, step: number): KeepsakeError {
    const { provider, modelId } = options.model
    return runFailed(`The call of the model ${provider} ${modelId} failed in step ${step}`, error, {
      details: { step },
    })
  }

  function runCalls(calls: readonly AnsweredCall[], sentCount: number): Promise<ToolCallResult[]> {
    const { tools, schemas, hooks, run } = options
    const sent = (): Message[] => messages.slice(0, sentCount)
    return runToolCalls(calls, { tools, schemas, hooks, run, messages: sent, clock, emit, stop })
  }

  function refuse(calls: readonly AnsweredCall[], why: string): ToolCallResult[] {
    return refuseToolCalls(calls, `Not run: the answer that called this tool was cut off (${why}).`, emit)
  }
}
