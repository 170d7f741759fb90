import type { Message, Run } from '@keepsake/core'
import type { AssistantPart } from '../convert/from-content.ts'
import { toUsage } from '../convert/usage.ts'
import type { CheckedInput } from '../options/check-input.ts'
import type { AgentSetup } from '../options/check-options.ts'
import { callParts, resultParts, textParts } from '../stream/call-parts.ts'
import { stepPerformance } from '../stream/step-performance.ts'
import type { Emit } from '../stream/stream-part.ts'
import { during } from './run-failed.ts'
import type { RunResult } from './run-result.ts'
import { textOf } from './store-turn.ts'

/** A turn as the thread has it. */
export interface StoredTurn {
  run: Run
  messages: Message[]
  /** What the run added to its input. */
  produced: Message[]
}

/**
 * What an earlier run with the same id stored, if there was one: asked only where the caller named the run, and where the
 * history is ours, since one of the caller's own cannot say.
 */
export async function firstTurn({ chat }: AgentSetup, input: CheckedInput, run: Run): Promise<StoredTurn | undefined> {
  if (chat === undefined || input.runId === undefined) return undefined
  const { id, threadId, owner, signal } = run
  const stored = await during('Looking for an earlier run with this id', () =>
    chat.appended(threadId, id, { signal, ...(owner !== undefined && { owner }) }),
  )
  return stored && { run, messages: stored, produced: stored.slice(input.messages.length) }
}

/** Serves a stored turn: its result, and its texts, calls and results as a stream. What it used is not known any more. */
export function replayTurn({ run, messages, produced }: StoredTurn, setup: AgentSetup, emit?: Emit): RunResult {
  const usage = toUsage(undefined)
  if (emit !== undefined) {
    for (const [index, message] of produced.entries()) {
      if (message.role === 'assistant') replayStep(message, produced[index + 1], setup, run, emit)
    }
    emit({ type: 'finish', finishReason: 'stop', rawFinishReason: undefined, totalUsage: usage })
  }
  const { id: runId, threadId } = run
  const text = textOf(produced.findLast((message) => message.role === 'assistant'))
  return { status: 'completed', runId, threadId, text, messages, usage, finishReason: 'stop', replayed: true }
}

type AssistantMessage = Extract<Message, { role: 'assistant' }>

function replayStep(
  answer: AssistantMessage,
  next: Message | undefined,
  setup: AgentSetup,
  run: Run,
  emit: Emit,
): void {
  const { content } = answer
  const parts: AssistantPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const results = next?.role === 'tool' ? next.content.filter((part) => part.type === 'tool-result') : []
  const { nowMs } = run
  const usage = toUsage(undefined)
  emit({ type: 'start-step', request: {}, warnings: [] })
  for (const part of [...textParts(parts), ...callParts(parts), ...resultParts(parts, results)]) emit(part)
  emit({
    type: 'finish-step',
    response: { id: setup.clock.newId(), timestamp: new Date(nowMs), modelId: setup.model.modelId },
    usage,
    performance: stepPerformance({ startedMs: nowMs, answeredMs: nowMs, endedMs: nowMs, toolExecutionMs: {} }, usage),
    finishReason: results.length > 0 ? 'tool-calls' : 'stop',
    rawFinishReason: undefined,
    providerMetadata: undefined,
  })
}
