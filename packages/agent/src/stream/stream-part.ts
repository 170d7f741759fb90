import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { FinishReason, ToolCall, Usage } from '../agent/run-result.ts'

/** How long one step took. Times in milliseconds, rates in tokens a second (0 where they cannot be told). */
export interface StepPerformance {
  /** The whole step, tools included. */
  stepTimeMs: number
  /** The model's answer. */
  responseTimeMs: number
  /** Each tool, by the id of its call. */
  toolExecutionMs: Record<string, number>
  /** Until the first text, reasoning, tool input or call arrived. */
  timeToFirstOutputMs: number | undefined
  /** After the first output. */
  outputTokensPerSecond: number | undefined
  /** Before the first output. */
  inputTokensPerSecond: number | undefined
  /** Over the model's whole answer. */
  effectiveOutputTokensPerSecond: number
  effectiveTotalTokensPerSecond: number
}

interface Block {
  id: string
  providerMetadata?: SharedV4ProviderMetadata
}

interface CallPart extends ToolCall {
  /** Always: the agent's tools are not known to the types of the one who reads the stream. */
  dynamic: true
  providerExecuted?: boolean
}

/**
 * What a run says while it works. Every member is one of ai 7's `TextStreamPart`, so a stream of them goes into ai's
 * `toUIMessageStream`.
 */
export type StreamPart =
  | { type: 'start' }
  | { type: 'start-step'; request: {}; warnings: [] }
  | ({ type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end' | 'tool-input-end' } & Block)
  | ({ type: 'text-delta' | 'reasoning-delta'; text: string } & Block)
  | ({ type: 'tool-input-start'; toolName: string; dynamic: true; providerExecuted?: boolean } & Block)
  | ({ type: 'tool-input-delta'; delta: string } & Block)
  | ({ type: 'tool-call' } & CallPart)
  | ({ type: 'tool-result'; output: unknown } & CallPart)
  | ({ type: 'tool-error'; error: unknown } & CallPart)
  | {
      type: 'tool-approval-request'
      approvalId: string
      toolCall: { type: 'tool-call'; dynamic: true } & ToolCall
      reason?: string
    }
  | { type: 'tool-output-denied'; toolCallId: string; toolName: string }
  /** What was streamed so far does not count any more: what is stored follows, from the start. */
  | { type: 'raw'; rawValue: { keepsake: 'reset' } }
  | {
      type: 'finish-step'
      response: { id: string; timestamp: Date; modelId: string }
      usage: Usage
      performance: StepPerformance
      finishReason: FinishReason
      rawFinishReason: string | undefined
      providerMetadata: SharedV4ProviderMetadata | undefined
    }
  | { type: 'finish'; finishReason: FinishReason; rawFinishReason: string | undefined; totalUsage: Usage }
  | { type: 'abort'; reason?: string }
  | { type: 'error'; error: unknown }

/** Takes the parts of a run as they come. */
export type Emit = (part: StreamPart) => void
