import type { Clock, Message, Run, Tool, ToolOutput, ToolResultPart } from '@keepsake/core'
import type { RunHooks } from '../agent/middleware.ts'
import { onion } from '../agent/middleware.ts'
import type { ToolCall } from '../agent/run-result.ts'
import type { RunSignal } from '../agent/run-signal.ts'
import { asStored } from '../convert/as-stored.ts'
import type { AnsweredCall } from '../convert/from-content.ts'
import type { Emit } from '../stream/stream-part.ts'
import { shorten } from './bounded.ts'
import { errorText } from './error-text.ts'
import { runTool } from './run-tool.ts'
import { toToolOutput } from './tool-result.ts'
import type { ToolSchemas } from './tool-schemas.ts'
import type { ToolMap } from './tools.ts'

/** What the calls of one step share. */
export interface ToolStep {
  tools: ToolMap
  schemas: ToolSchemas
  hooks: readonly RunHooks[]
  run: Run
  /** What the model was sent before it made the calls. */
  messages: Message[]
  clock: Clock
  emit: Emit
  stop: RunSignal
}

export interface ToolCallResult {
  part: ToolResultPart
  executionMs: number
}

/**
 * Runs the calls of one answer at the same time; results come in the order of the calls. Whatever is wrong with a call
 * or happens in its tool becomes a result that tells the model: this never rejects. Once the run is stopped nothing is
 * begun any more, and nobody waits for the results.
 */
export function runToolCalls(calls: readonly AnsweredCall[], step: ToolStep): Promise<ToolCallResult[]> {
  const wraps = step.hooks.flatMap((hooks) => (hooks.wrapTool === undefined ? [] : [hooks.wrapTool.bind(hooks)]))
  return Promise.all(
    calls.map(async (call) => {
      const startedMs = step.clock.nowMs()
      const output = await answerCall(call, step, wraps)
      return { part: resultPart(call, output), executionMs: step.clock.nowMs() - startedMs }
    }),
  )
}

/** Answers calls that are not run, so that the thread stays one that a model can read. */
export function refuseToolCalls(calls: readonly AnsweredCall[], why: string, emit: Emit): ToolCallResult[] {
  return calls.map((call) => ({ part: resultPart(call, failed(call, why, emit)), executionMs: 0 }))
}

type Wrap = NonNullable<RunHooks['wrapTool']>

async function answerCall(call: AnsweredCall, step: ToolStep, wraps: readonly Wrap[]): Promise<ToolOutput> {
  const { toolCallId, toolName, input } = call.part
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
      const callOptions = { toolCallId, messages: step.messages }
      return runTool(executable(inner.toolName, step.tools), inner.input, callOptions, step.run)
    })({ toolCallId, toolName, input: checked.input })
    const shown = await toToolOutput(tool, { toolCallId, input: checked.input }, output)
    step.emit({ type: 'tool-result', dynamic: true, toolCallId, toolName, input, output })
    return shown
  } catch (error) {
    return failed(call, error, step.emit)
  }
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
