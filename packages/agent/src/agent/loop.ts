import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Clock, Message, Run } from '@keepsake/core'
import { addUsage, toUsage } from '../convert/usage.ts'
import { callParts, textParts } from '../stream/call-parts.ts'
import { stepPerformance } from '../stream/step-performance.ts'
import type { Emit } from '../stream/stream-part.ts'
import type { ThreadCallIds } from '../tools/call-ids.ts'
import { refuseToolCalls, runToolCalls } from '../tools/tool-calls.ts'
import type { ToolSchemas } from '../tools/tool-schemas.ts'
import type { ToolMap } from '../tools/tools.ts'
import type { Limits } from './limits.ts'
import type { RunHooks } from './middleware.ts'
import { callModel, type ModelAnswer } from './model-call.ts'
import { runFailed } from './run-failed.ts'
import type { FinishReason, Usage } from './run-result.ts'
import type { RunSignal } from './run-signal.ts'
import { createTranscript } from './transcript.ts'

export interface LoopOptions {
  model: LanguageModelV4
  /** What is the same for every call. */
  request: Omit<LanguageModelV4CallOptions, 'prompt'>
  /** The one leading system message; empty for none. */
  system: string
  /** What the model is sent of the thread, the input included. */
  messages: readonly Message[]
  /** Of all of the thread, the input included. */
  callIds: ThreadCallIds
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
  const { model, hooks, callIds, clock, stop } = options
  const emit = options.emit ?? (() => {})
  const transcript = createTranscript(options.system, options.messages)
  const call = { model, hooks, callIds, clock, signal: stop.signal, emit: options.emit }
  let usage = toUsage(undefined)

  for (let step = 1; ; step++) {
    stop.check()
    emit({ type: 'start-step', request: {}, warnings: [] })
    const toolStep = { ...options, messages: transcript.messages(), emit }
    const startedMs = clock.nowMs()
    const answer = await ask(step)
    const answeredMs = clock.nowMs()
    const { parts, calls, finishReason, rawFinishReason, firstOutputMs, response, providerMetadata } = answer
    if (!answer.streamed) textParts(parts).forEach(emit)
    callParts(parts).forEach(emit)

    const results = isCutOff(finishReason)
      ? refuseToolCalls(calls, `Not run: the answer that called this tool was cut off (${finishReason}).`, emit)
      : await runToolCalls(calls, toolStep)
    transcript.addResults(results.map(({ part }) => part))
    for (const { part } of calls) callIds.add(part.toolCallId)
    usage = addUsage(usage, answer.usage)

    const toolExecutionMs = Object.fromEntries(results.map(({ part, executionMs }) => [part.toolCallId, executionMs]))
    const times = { startedMs, firstOutputMs, answeredMs, endedMs: clock.nowMs(), toolExecutionMs }
    const performance = stepPerformance(times, answer.usage)
    emit({
      type: 'finish-step',
      response,
      usage: answer.usage,
      performance,
      finishReason,
      rawFinishReason,
      providerMetadata,
    })
    const ended = endOf(step, answer, usage, options.limits)
    if (ended !== undefined) return { produced: transcript.produced, usage, finishReason: ended, rawFinishReason }
  }

  async function ask(step: number): Promise<ModelAnswer> {
    try {
      const answer = await callModel({ ...options.request, prompt: transcript.prompt() }, call)
      transcript.addAnswer(answer.parts)
      return answer
    } catch (error) {
      const what = `The call of the model ${model.provider} ${model.modelId} failed in step ${step}`
      throw runFailed(what, error, { details: { step } })
    }
  }
}

/** An answer that was cut off may have been cut off within a call. */
function isCutOff(finishReason: FinishReason): boolean {
  return finishReason === 'length' || finishReason === 'content-filter'
}

/** Why the run ends with this step, if it does. */
function endOf(step: number, answer: ModelAnswer, usage: Usage, limits: Required<Limits>): FinishReason | undefined {
  if (answer.calls.length === 0 || isCutOff(answer.finishReason)) return answer.finishReason
  if (step >= limits.maxSteps) return 'tool-calls'
  return (usage.totalTokens ?? 0) >= limits.maxTokens ? 'length' : undefined
}
