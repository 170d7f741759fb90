import type { Message } from '@keepsake/core'
import type { CheckedInput } from '../options/check-input.ts'
import type { AgentSetup } from '../options/check-options.ts'
import type { LoopResult } from './loop.ts'
import { during } from './run-failed.ts'
import type { RunResult } from './run-result.ts'
import type { StartedRun } from './start-run.ts'

/** Stores the input and what the run produced in one append under the run's id, and gives the result. */
export async function storeTurn(
  { history }: AgentSetup,
  input: CheckedInput,
  { run, subject }: StartedRun,
  { produced, usage, finishReason }: LoopResult,
): Promise<RunResult> {
  const { id: runId, threadId, owner } = run
  const whole = [...input.messages, ...produced]
  const options = { opId: runId, ...(owner !== undefined && { owner }), ...(subject !== undefined && { subject }) }
  const stored = await during('history.append', () => history?.append(threadId, whole, options), {
    stored: 'Whether the run was stored is not known; repeated with the same runId it is stored once.',
  })
  // Chat memory gives the messages back with their ids, and those of the first time if the run is a repeat.
  const messages = isMessages(stored) ? stored : whole
  const text = textOf(messages.slice(input.messages.length).findLast(({ role }) => role === 'assistant'))
  return { status: 'completed', runId, threadId, text, messages, usage, finishReason, replayed: false }
}

function isMessages(stored: unknown): stored is Message[] {
  if (!Array.isArray(stored) || stored.length === 0) return false
  return stored.every((one: Message | undefined) => typeof one?.role === 'string' && one.content !== undefined)
}

/** The text of a message. */
export function textOf(message: Message | undefined): string {
  const content = message?.content ?? ''
  return typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
