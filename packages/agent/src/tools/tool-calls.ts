import {
  untrustedText,
  type Clock,
  type Message,
  type Run,
  type Storable,
  type Tool,
  type ToolOutput,
  type ToolResultPart,
} from '@keepsake/core'
import type { RunHooks } from '../agent/middleware.ts'
import { onion } from '../agent/middleware.ts'
import type { Offload } from '../agent/run-files.ts'
import type { ToolCall } from '../agent/run-result.ts'
import type { RunSignal } from '../agent/run-signal.ts'
import { scopeName } from '../agent/scope-name.ts'
import { asStored } from '../convert/as-stored.ts'
import type { AnsweredCall } from '../convert/from-content.ts'
import type { ScopedCalls } from '../engine/run/scoped-calls.ts'
import { resultParts } from '../stream/call-parts.ts'
import type { Emit } from '../stream/stream-part.ts'
import { shorten } from './bounded.ts'
import { errorText } from './error-text.ts'
import { callKey, runTool } from './run-tool.ts'
import { toToolOutput } from './tool-result.ts'
import type { ToolSchemas } from './tool-schemas.ts'
import type { ToolMap } from './tools.ts'
import { markedUntrusted } from './untrusted-mark.ts'

/** What the calls of one step share. */
export interface ToolStep {
  tools: ToolMap
  schemas: ToolSchemas
  hooks: readonly RunHooks[]
  run: Run
  /** What the model was sent before it made the calls. */
  messages: Message[]
  /** What untrusted content was among them, as sources. */
  untrusted: readonly string[]
  clock: Clock
  emit: Emit
  stop: RunSignal
  offload: Offload | undefined
  /** Somebody has allowed these calls. */
  approved?: true
  /** Tools that work on a copy of this run, and so are run again where their result is served. */
  redone: ReadonlySet<string>
  /** Journals each call in a scope of its own. */
  inner: Pick<ScopedCalls, 'scope'>
}

export interface ToolCallResult {
  part: ToolResultPart
  executionMs: number
}

/**
 * Runs the calls of one answer at the same time; results come in the order of the calls. Whatever is wrong with a call
 * or happens in its tool becomes a result that tells the model. A result that is journaled is served, and its tool not run
 * again. Once the run is stopped nothing is begun any more, and nobody waits for the results.
 */
export function runToolCalls(calls: readonly AnsweredCall[], step: ToolStep): Promise<ToolCallResult[]> {
  const wraps = step.hooks.flatMap((hooks) => (hooks.wrapTool === undefined ? [] : [hooks.wrapTool.bind(hooks)]))
  return Promise.all(
    calls.map((call) =>
      step.inner.scope(scopeName('tool', call.part.toolCallId), async (scoped) => {
        let made: ToolCallResult | undefined
        const stored = await scoped.call({
          asked: ['tool', call.part.toolName],
          lenient: true,
          async make() {
            const startedMs = step.clock.nowMs()
            const output = await answerCall(call, step, wraps)
            made = { part: resultPart(call, output), executionMs: step.clock.nowMs() - startedMs }
            return output as unknown as Storable
          },
        })
        if (made !== undefined) return made
        if (step.redone.has(call.part.toolName)) await answerCall(call, { ...step, emit: () => {} }, wraps)
        const part = resultPart(call, stored as unknown as ToolOutput)
        for (const shown of resultParts([call.part], [part])) step.emit(shown)
        return { part, executionMs: 0 }
      }),
    ),
  )
}

/** Answers calls that are not run, so that the thread stays one that a model can read. */
export function refuseToolCalls(calls: readonly AnsweredCall[], why: string, emit: Emit): ToolCallResult[] {
  return calls.map((call) => ({ part: resultPart(call, failed(call, why, emit)), executionMs: 0 }))
}

/** The result of a call that was not allowed. */
export function denyToolCall(call: AnsweredCall, reason: string | undefined, emit: Emit): ToolCallResult {
  const { toolCallId, toolName } = call.part
  emit({ type: 'tool-output-denied', toolCallId, toolName })
  const output: ToolOutput = { type: 'execution-denied', ...(reason !== undefined && { reason }) }
  return { part: resultPart(call, output), executionMs: 0 }
}

type Wrap = NonNullable<RunHooks['wrapTool']>

async function answerCall(call: AnsweredCall, step: ToolStep, wraps: readonly Wrap[]): Promise<ToolOutput> {
  const { toolCallId, toolName, input } = call.part
  let isMarked = false
  function markUntrusted(): void {
    isMarked = true
  }
  const finished = (output: ToolOutput): ToolOutput => (isMarked ? markedUntrusted(output) : output)
  try {
    const tool = executable(toolName, step.tools)
    if (call.problem !== undefined)
      throw new Error(`The input of the tool "${toolName}" cannot be read: ${call.problem}.`)
    // A copy: tools may change their input, and the thread keeps what the model said.
    const checked = await step.schemas.check(tool, asStored({ input }).input)
    if (checked.problem !== undefined)
      throw new Error(`The input of the tool "${toolName}" is wrong: ${checked.problem}.`)
    step.stop.check()
    const output = await onion<ToolCall, unknown>(wraps, (inner) => {
      step.stop.check()
      const approved = step.approved && { approved: true }
      const { messages, untrusted } = step
      const callOptions = { toolCallId, messages, untrusted, markUntrusted, ...approved }
      return runTool(executable(inner.toolName, step.tools), inner.input, callOptions, step.run)
    })({ toolCallId, toolName, input: checked.input })
    const { offload } = step
    const long = {
      toolCallId,
      opId: `${callKey(step.run, toolCallId)}/result`,
      sources: readWith(call, step, isMarked),
    }
    const keepLong = offload && ((text: string) => offload(text, long))
    const shown = await toToolOutput(tool, { toolCallId, input: checked.input }, output, keepLong)
    step.emit({ type: 'tool-result', dynamic: true, toolCallId, toolName, input, output })
    return finished(shown)
  } catch (error) {
    return finished(failed(call, error, step.emit))
  }
}

/** What the result of a call comes from, as far as that is not to be trusted. */
function readWith({ part: { toolCallId, toolName } }: AnsweredCall, step: ToolStep, isMarked: boolean): string[] {
  const { tools, untrusted } = step
  if (!isMarked && tools.get(toolName)?.untrusted !== true) return [...untrusted]
  return [...untrusted, untrustedText({ tool: toolName, call: toolCallId })]
}

function executable(toolName: string, tools: ToolMap): Tool {
  const tool = tools.get(toolName)
  if (tool?.execute !== undefined) return tool
  const names = Array.from(tools.keys())
  throw new Error(
    `There is no tool "${toolName}". There ${names.length === 0 ? 'are none' : `is: ${names.join(', ')}`}.`,
  )
}

function failed(call: AnsweredCall, error: unknown, emit: Emit): ToolOutput {
  const { toolCallId, toolName, input } = call.part
  emit({ type: 'tool-error', dynamic: true, toolCallId, toolName, input, error })
  return { type: 'error-text', value: shorten(errorText(error)) }
}

function resultPart({ part }: AnsweredCall, output: ToolOutput): ToolResultPart {
  return { type: 'tool-result', toolCallId: part.toolCallId, toolName: part.toolName, output }
}
