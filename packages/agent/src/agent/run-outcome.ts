import { KeepsakeError, threadEntity, type Message } from '@keepsake/core'
import { readEntityHead, type StoredOutcome } from '../engine/activate.ts'
import { commitKey, readCommit } from '../engine/rows/commit.ts'
import { eventKey, readEvent } from '../engine/rows/event.ts'
import type { AgentSetup } from '../options/check-options.ts'
import type { Emit } from '../stream/stream-part.ts'
import type { AgentRuns } from './agent-runs.ts'
import type { ApprovalQuestion } from './approvals.ts'
import type { Caller, RunOutput } from './caller.ts'
import { forgetLeftovers, isDeletion, wasDeleted } from './forget-runs.ts'
import { withUnknown } from './journaled-answer.ts'
import { replaySteps } from './replay-turn.ts'
import type { RunResult } from './run-result.ts'
import { textOf } from './text-of.ts'

/** What an outcome means for the caller. */
export async function conclude(
  setup: AgentSetup,
  runs: AgentRuns,
  threadId: string,
  caller: Caller,
  outcome: StoredOutcome,
): Promise<RunResult> {
  const { own, runId, emit } = caller
  switch (outcome.status) {
    case 'completed': {
      if (outcome.replayed || own.done === undefined) return storedResult(setup, runs, threadId, caller)
      const { output, messages, memory } = own.done
      finish(emit, output)
      return { ...resultOf(runId, threadId, output, messages, false), ...(memory !== undefined && { memory }) }
    }
    case 'suspended':
      return suspendedResult(setup, threadId, caller, outcome)
    case 'failed':
      if (own.error !== undefined) throw own.error
      if (isDeletion(outcome.error)) {
        await forgetLeftovers(runs, threadId)
        throw wasDeleted()
      }
      throw new KeepsakeError(outcome.error.code, outcome.error.message)
    default:
      throw waitedTooLong(setup)
  }
}

/** The error of a run that never began. */
export function waitedTooLong({ limits: { timeoutMs } }: AgentSetup): KeepsakeError {
  return new KeepsakeError(
    'conflict',
    `The run could not begin within its ${timeoutMs} ms (limits.timeoutMs): another run of its thread is under way. Nothing was stored.`,
    { retryable: true, details: { timeoutMs } },
  )
}

function finish(emit: Emit | undefined, { finishReason, rawFinishReason, usage }: RunOutput): void {
  emit?.({ type: 'finish', finishReason, rawFinishReason, totalUsage: usage })
}

function resultOf(
  runId: string,
  threadId: string,
  { usage, finishReason, inputs }: RunOutput,
  messages: Message[],
  replayed: boolean,
): RunResult {
  const text = textOf(messages.slice(inputs).findLast(({ role }) => role === 'assistant'))
  return { status: 'completed', runId, threadId, text, messages, usage, finishReason, replayed }
}

/** The result of a run that was committed before, or by somebody else; as a stream too. */
export async function storedResult(
  setup: AgentSetup,
  { ground, turns }: AgentRuns,
  threadId: string,
  caller: Caller,
): Promise<RunResult> {
  const { runId, emit, own } = caller
  const { store, clock } = ground
  const entity = threadEntity(threadId)
  const { head } = await readEntityHead(ground, entity)
  const [eventRow] = await store.load([{ entity, key: eventKey(runId) }])
  const ref = head.committed?.eventId === runId ? head.committed : readEvent(eventRow, clock.nowMs())
  const [row] = ref === undefined ? [] : await store.load([{ entity, key: commitKey(ref) }])
  if (row === undefined) throw wasDeleted()
  const { output: stored, said, nowMs } = readCommit(row)
  const output = stored as unknown as RunOutput
  const known = { ...output, usage: withUnknown(output.usage) }
  const [turn] = said === undefined ? [] : await store.load([{ entity, key: said.key }])
  const messages = turn === undefined ? (output.messages ?? []) : (turns?.messagesIn(turn) ?? [])
  if (emit !== undefined) {
    if (own.shown) emit({ type: 'raw', rawValue: { keepsake: 'reset' } })
    replaySteps(messages.slice(output.inputs), setup, { nowMs }, emit)
    finish(emit, known)
  }
  return resultOf(runId, threadId, known, messages, true)
}

function suspendedResult(
  setup: AgentSetup,
  threadId: string,
  { runId, emit, own }: Caller,
  { question }: Extract<StoredOutcome, { status: 'suspended' }>,
): RunResult {
  const { approvals, messages: stored, usage: used } = question as unknown as ApprovalQuestion
  const messages = stored as unknown as Message[]
  const usage = withUnknown(used as unknown as RunResult['usage'])
  if (emit !== undefined) {
    if (own.stepEnd !== undefined) emit(own.stepEnd())
    else {
      replaySteps(messages, setup, { nowMs: setup.clock.nowMs() }, emit)
      for (const { approvalId, toolCallId, toolName, input } of approvals) {
        const toolCall = { type: 'tool-call', dynamic: true, toolCallId, toolName, input } as const
        emit({ type: 'tool-approval-request', approvalId, toolCall })
      }
    }
    emit({ type: 'finish', finishReason: 'tool-calls', rawFinishReason: undefined, totalUsage: usage })
  }
  const asking = runOfApproval(approvals[0]!) ?? runId
  const text = textOf(messages.findLast(({ role }) => role === 'assistant'))
  const done = { runId: asking, threadId, text, messages, usage, finishReason: 'tool-calls', replayed: false } as const
  return { status: 'suspended', ...done, approvals }
}

/** The run that asks: not the caller's, where another of the thread waits. */
function runOfApproval({ approvalId, toolCallId }: { approvalId: string; toolCallId: string }): string | undefined {
  return approvalId.startsWith(`${toolCallId}@`) ? approvalId.slice(toolCallId.length + 1) : undefined
}
