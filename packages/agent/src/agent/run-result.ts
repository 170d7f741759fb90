import type { Message } from '@keepsake/core'
import type { FlushResult } from '@keepsake/files'

/** A call as middleware and approvals see it. */
export interface ToolCall {
  toolCallId: string
  toolName: string
  input: unknown
}

/** Tokens of one step or of a whole run; `undefined` where the provider did not say. The shape is that of ai 7. */
export interface Usage {
  inputTokens: number | undefined
  inputTokenDetails: {
    noCacheTokens: number | undefined
    cacheReadTokens: number | undefined
    cacheWriteTokens: number | undefined
  }
  outputTokens: number | undefined
  outputTokenDetails: { textTokens: number | undefined; reasoningTokens: number | undefined }
  totalTokens: number | undefined
}

export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

interface Done {
  runId: string
  threadId: string
  /** What the last assistant message of the run says; empty if it says nothing. */
  text: string
  /** The input and everything that the run produced, as stored: one append. */
  messages: Message[]
  /** The sum over all steps. */
  usage: Usage
  /**
   * Of the last step. `tool-calls` also means that `limits.maxSteps` ended the run, `length` that `limits.maxTokens`
   * did; either way every call has its result and the thread can go on.
   */
  finishReason: FinishReason
  /** Whether the run had been done before and this is its first result, served again. */
  replayed: boolean
  /**
   * Of an agent with a `toolset`: the memory files that were written, and changes that could not be brought together with
   * what somebody else wrote meanwhile. Left out where the result is served again.
   */
  memory?: FlushResult
}

/** How a run ended. A failure is no result: it throws. */
export type RunResult =
  | (Done & { status: 'completed' })
  | (Done & { status: 'suspended'; approvals: (ToolCall & { approvalId: string; reason?: string })[] })
