import type { Message, Run } from '@keepsake/core'
import type { AssistantPart } from '../convert/from-content.ts'
import { toUsage } from '../convert/usage.ts'
import type { AgentSetup } from '../options/check-options.ts'
import { callParts, resultParts, textParts } from '../stream/call-parts.ts'
import { stepPerformance } from '../stream/step-performance.ts'
import type { Emit } from '../stream/stream-part.ts'

type AssistantMessage = Extract<Message, { role: 'assistant' }>

/** Streams what a run has said, step by step, marked as replayed. */
export function replaySteps(
  produced: readonly Message[],
  setup: AgentSetup,
  run: Pick<Run, 'nowMs'>,
  emit: Emit,
): void {
  for (const [index, message] of produced.entries()) {
    if (message.role === 'assistant') replayStep(message, produced[index + 1], setup, run, emit)
  }
}

function replayStep(
  answer: AssistantMessage,
  next: Message | undefined,
  setup: AgentSetup,
  { nowMs }: Pick<Run, 'nowMs'>,
  emit: Emit,
): void {
  const { content } = answer
  const parts: AssistantPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const results = next?.role === 'tool' ? next.content.filter((part) => part.type === 'tool-result') : []
  const usage = toUsage(undefined)
  emit({ type: 'start-step', request: {}, warnings: [] })
  for (const part of [...textParts(parts, true), ...callParts(parts), ...resultParts(parts, results)]) emit(part)
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
