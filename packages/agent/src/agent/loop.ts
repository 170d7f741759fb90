import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Clock, Message, Run, Storable, ToolResultPart } from '@keepsake/core'
import { addUsage, toUsage } from '../convert/usage.ts'
import type { AnsweredCall } from '../convert/from-content.ts'
import { fingerprint } from '../engine/fingerprint.ts'
import type { InnerActivation } from '../engine/run/handler-context.ts'
import type { AgentSetup } from '../options/check-options.ts'
import { callParts, textParts } from '../stream/call-parts.ts'
import { stepPerformance } from '../stream/step-performance.ts'
import type { Emit, StreamPart } from '../stream/stream-part.ts'
import type { ThreadCallIds } from '../tools/call-ids.ts'
import { denyToolCall, refuseToolCalls, runToolCalls, type ToolCallResult } from '../tools/tool-calls.ts'
import type { ToolSchemas } from '../tools/tool-schemas.ts'
import type { ToolMap } from '../tools/tools.ts'
import { untrustedResults } from '../tools/untrusted-results.ts'
import {
  decideCalls,
  denialOf,
  needsAsking,
  openApprovals,
  requestParts,
  responseParts,
  type ApprovalAnswer,
  type Decisions,
  type OpenApproval,
} from './approvals.ts'
import type { OwnRun } from './caller.ts'
import { fromStoredAnswer, toStoredAnswer } from './journaled-answer.ts'
import type { Limits } from './limits.ts'
import type { RunHooks } from './middleware.ts'
import { callModel, type ModelAnswer } from './model-call.ts'
import { replaySteps } from './replay-turn.ts'
import type { FileAsks, Offload } from './run-files.ts'
import { runFailed } from './run-failed.ts'
import type { FinishReason, Usage } from './run-result.ts'
import type { RunSignal } from './run-signal.ts'
import { createTranscript } from './transcript.ts'

export interface LoopOptions {
  setup: AgentSetup
  model: LanguageModelV4
  /** What is the same for every call. */
  request: Omit<LanguageModelV4CallOptions, 'prompt'>
  /** The one leading system message; empty for none. */
  system: string
  /** What the model is sent of the thread, the input included. */
  messages: readonly Message[]
  /** The run's input, as a suspended run shows it. */
  input: readonly Message[]
  /** Of all of the thread, the input included. */
  callIds: ThreadCallIds
  tools: ToolMap
  schemas: ToolSchemas
  hooks: readonly RunHooks[]
  run: Run
  limits: Required<Limits>
  clock: Clock
  stop: RunSignal
  offload: Offload | undefined
  asks: FileAsks | undefined
  /** Tools that work on a copy of this run, and so are run again where their result is served. */
  redone: ReadonlySet<string>
  /** The journal. */
  inner: InnerActivation
  own: OwnRun
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
 * reached. Every call that it returns has its result. Answers and results that are journaled are served. Rejects with
 * `run_failed` when the model fails; never settles where the run is suspended.
 */
export async function runLoop(options: LoopOptions): Promise<LoopResult> {
  const { setup, model, hooks, callIds, clock, stop, inner, run, own } = options
  const emit = options.emit ?? (() => {})
  const transcript = createTranscript(options.system, options.messages)
  const call = { model, hooks, callIds, clock, signal: stop.signal, emit: options.emit }
  let usage = toUsage(undefined)
  let untrusted = untrustedResults(options.messages, options.tools)

  for (let step = 1; ; step++) {
    stop.check()
    emit({ type: 'start-step', request: {}, warnings: [] })
    const toolStep = { ...options, messages: transcript.messages(), untrusted, emit }
    const startedMs = clock.nowMs()
    const answer = await ask(step)
    const answeredMs = clock.nowMs()
    const { parts, calls, finishReason, rawFinishReason, firstOutputMs, response, providerMetadata } = answer
    if (!answer.streamed) textParts(parts, answer.served).forEach(emit)
    callParts(parts).forEach(emit)
    usage = addUsage(usage, answer.usage)

    function stepEnd(results: readonly ToolCallResult[]): StreamPart {
      const toolExecutionMs = Object.fromEntries(results.map(({ part, executionMs }) => [part.toolCallId, executionMs]))
      const times = { startedMs, firstOutputMs, answeredMs, endedMs: clock.nowMs(), toolExecutionMs }
      const performance = stepPerformance(times, answer.usage)
      const said = { response, usage: answer.usage, performance, finishReason, rawFinishReason, providerMetadata }
      return { type: 'finish-step', ...said }
    }

    const cutOff = isCutOff(finishReason)
    const decisions = cutOff ? {} : await decide(step, calls)
    const approvals = openApprovals(calls, decisions, run.id)
    transcript.addAnswer([...parts, ...requestParts(approvals)], untrusted)
    const results = new Map<string, ToolCallResult>()
    const keep = (some: readonly ToolCallResult[]): void => some.forEach((one) => results.set(one.part.toolCallId, one))
    const free = calls.filter(({ part }) => !Object.hasOwn(decisions, part.toolCallId))
    if (cutOff)
      keep(refuseToolCalls(calls, `Not run: the answer that called this tool was cut off (${finishReason}).`, emit))
    else keep(await runToolCalls(free, toolStep))
    for (const one of calls) {
      const decided = Object.hasOwn(decisions, one.part.toolCallId) ? decisions[one.part.toolCallId] : undefined
      if (decided?.type === 'denied') keep([denyToolCall(one, decided.reason, emit)])
    }
    let answers: ApprovalAnswer[] = []
    if (approvals.length > 0) {
      own.stepEnd = () => stepEnd([...results.values()])
      answers = await askSomebody(step, approvals)
      const byCall = new Map(approvals.map(({ toolCallId }, index) => [toolCallId, answers[index]!]))
      const allowed = calls.filter(({ part }) => byCall.get(part.toolCallId)?.approved === true)
      keep(await runToolCalls(allowed, { ...toolStep, approved: true }))
      for (const one of calls) {
        const { toolCallId } = one.part
        const given = byCall.get(toolCallId)
        if (given?.approved === false) keep([denyToolCall(one, denialOf(decisions[toolCallId], given.reason), emit)])
      }
    }
    const inOrder = calls.map(({ part }) => results.get(part.toolCallId)!)
    const given = inOrder.map(({ part }): ToolResultPart => part)
    untrusted = untrustedResults([{ role: 'tool', content: given, untrusted }], options.tools)
    transcript.addResults([...responseParts(answers), ...given], untrusted)
    for (const { part } of calls) callIds.add(part.toolCallId)
    emit(stepEnd(inOrder))
    const ended = endOf(step, answer, usage, options.limits)
    if (ended !== undefined) return { produced: transcript.produced, usage, finishReason: ended, rawFinishReason }
  }

  /** Asks the model, once: the answer that is journaled counts, whatever the prompt is by now. */
  async function ask(step: number): Promise<ModelAnswer & { served: boolean }> {
    const { provider, modelId } = model
    const asked = fingerprint([provider, modelId, options.system, [...options.tools.keys()]].map(String))
    const id = clock.newId()
    let failed: { error: unknown } | undefined
    let made: ModelAnswer | undefined
    try {
      const stored = await inner.call({
        asked: ['model', step],
        lenient: true,
        async make() {
          try {
            made = await callModel({ ...options.request, prompt: transcript.prompt() }, call)
            return toStoredAnswer(made, id, asked)
          } catch (error) {
            failed = { error }
            throw error
          }
        },
      })
      const found = fromStoredAnswer(stored!)
      if (made !== undefined && found.id === id) return { ...made, parts: found.answer.parts, served: false }
      if (made === undefined && found.asked !== asked) warnChanged(run, step)
      if (made?.streamed === true) {
        // Another worker's answer was stored first, and that one counts.
        emit({ type: 'raw', rawValue: { keepsake: 'reset' } })
        emit({ type: 'start' })
        replaySteps(transcript.produced, setup, run, emit)
        emit({ type: 'start-step', request: {}, warnings: [] })
      }
      return { ...found.answer, served: true }
    } catch (error) {
      const what = `The call of the model ${provider} ${modelId} failed in step ${step}`
      throw runFailed(what, failed === undefined ? error : failed.error, { details: { step } })
    }
  }

  /** Whether the calls of a step may run. What functions and rules of files say is kept. */
  async function decide(step: number, calls: readonly AnsweredCall[]): Promise<Decisions> {
    const deciding = (): Promise<Decisions> => decideCalls(calls, setup, options)
    const nobodyAsks = setup.toolApproval === undefined && options.asks === undefined
    if (nobodyAsks || calls.length === 0) return {}
    if (!needsAsking(calls, setup, options.asks)) return deciding()
    let failed: { error: unknown } | undefined
    try {
      const decided = await inner.scope(`decide-${step}`, (scoped) =>
        scoped.call({
          asked: ['decide', step],
          lenient: true,
          make: async () => {
            try {
              return (await deciding()) as unknown as Storable
            } catch (error) {
              failed = { error }
              throw error
            }
          },
        }),
      )
      return decided as unknown as Decisions
    } catch (error) {
      throw failed === undefined ? error : failed.error
    }
  }

  /** Suspends the run until somebody has answered. */
  async function askSomebody(step: number, approvals: readonly OpenApproval[]): Promise<ApprovalAnswer[]> {
    for (const { approvalId, toolCallId, toolName, input, reason } of approvals) {
      const toolCall = { type: 'tool-call', dynamic: true, toolCallId, toolName, input } as const
      emit({ type: 'tool-approval-request', approvalId, toolCall, ...(reason !== undefined && { reason }) })
    }
    const question = { approvals, messages: [...options.input, ...transcript.produced], usage }
    const answers = await inner.scope(`ask-${step}`, (scoped) =>
      scoped.interrupt<{ answers: ApprovalAnswer[] }>(question as never),
    )
    return answers.answers
  }
}

function warnChanged(run: Run, step: number): void {
  // oxlint-disable-next-line no-console -- somebody has to be told, and nothing failed
  console.warn(
    `Keepsake: the run ${JSON.stringify(run.id)} goes on with the answer that its step ${step} was given before, though its model, instructions or tools have changed since.`,
  )
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
