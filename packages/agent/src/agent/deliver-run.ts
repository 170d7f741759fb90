import { encodeEnvelope, KeepsakeError, threadEntity, type Storable } from '@keepsake/core'
import { activate, readEntityHead, readQuestion, type StoredOutcome } from '../engine/activate.ts'
import type { Delivery } from '../engine/claim.ts'
import { checkNamesOfEvent } from '../engine/entity.ts'
import { fingerprint } from '../engine/fingerprint.ts'
import { checkEventSize } from '../engine/inbox/submit.ts'
import { resume } from '../engine/resume.ts'
import { deadLetterKey, readDeadLetter } from '../engine/rows/event.ts'
import { headId, readHead, type ReadHead } from '../engine/rows/head.ts'
import type { CheckedInput } from '../options/check-input.ts'
import type { AgentSetup } from '../options/check-options.ts'
import { THREAD_KIND, type AgentRuns } from './agent-runs.ts'
import { isOfRun, matchAnswers, type ApprovalQuestion } from './approvals.ts'
import type { Caller, RunData } from './caller.ts'
import { notTheirs } from './handle-run.ts'
import { conclude, storedResult } from './run-outcome.ts'
import type { RunResult } from './run-result.ts'

/** Hands the run, or the answers to its approvals, to the engine, and says what came of it. */
export async function deliverRun(
  setup: AgentSetup,
  runs: AgentRuns,
  input: CheckedInput,
  caller: Caller,
): Promise<RunResult> {
  const { ground } = runs
  const { threadId } = input
  const entity = threadEntity(threadId)
  try {
    const read = await readRuns(runs, threadId, caller)
    if (input.approvals !== undefined) return await answerApprovals(setup, runs, input, caller, read)
    const { owner, subject, runId, stop } = caller
    const data: RunData = {
      messages: input.messages,
      ...(owner !== undefined && { owner }),
      ...(subject !== undefined && { subject }),
    }
    checkNamesOfEvent(THREAD_KIND, threadId, runId)
    const event = { id: runId, data: data as unknown as Storable }
    checkEventSize(ground, encodeEnvelope({ value: event.data, createdAtMs: 0 }).length)
    const onBusy = (): void => void (caller.own.waited = true)
    const delivery: Delivery = { id: threadId, entity, event, signal: stop.signal, caller, onBusy }
    let outcome = await activate(ground, delivery, read)
    // It failed before: this is the caller's wish to try again.
    while (outcome.status === 'failed' && caller.own.ran !== true) {
      const [row] = await ground.store.load([{ entity, key: deadLetterKey(runId) }])
      const letter = readDeadLetter(row, ground.clock.nowMs())
      const same = letter !== undefined && fingerprint(letter.event.data) === fingerprint(event.data)
      const again = letter === undefined ? {} : { retry: { letter, journal: same ? 'keep' : 'drop' } as const }
      outcome = await activate(ground, { ...delivery, ...again })
    }
    return await conclude(setup, runs, threadId, caller, outcome)
  } finally {
    if (runs.passing) await forgetPassing(runs, entity)
  }
}

/** Who keeps no history keeps nothing of a run either, but while somebody is asked something. */
async function forgetPassing({ ground }: AgentRuns, entity: string): Promise<void> {
  const { head } = await readEntityHead(ground, entity)
  if (head.active === undefined) await ground.store.removeEntity(entity)
}

/** The head of the thread's runs, once it is sure that thread and runs are the caller's. One read. */
async function readRuns({ ground, turns }: AgentRuns, threadId: string, { owner, stop }: Caller): Promise<ReadHead> {
  const { signal } = stop
  const row =
    turns === undefined
      ? (await ground.store.load([headId(threadEntity(threadId))], { signal }))[0]
      : (await turns.peek(threadId, { signal, ...(owner !== undefined && { owner }) })).runs
  const read = readHead(row)
  const active = read.head.active?.event.data as RunData | null | undefined
  if (active !== undefined && active !== null && active.owner !== owner) throw notTheirs()
  return read
}

/** Answers the open approvals of a thread, and goes on with the run that asks. */
async function answerApprovals(
  setup: AgentSetup,
  runs: AgentRuns,
  { threadId, approvals = [] }: CheckedInput,
  caller: Caller,
  read: ReadHead,
): Promise<RunResult> {
  const { ground } = runs
  const { active, committed } = read.head
  const entity = threadEntity(threadId)
  if (active !== undefined && isOfRun(approvals, active.event.id)) {
    caller.runId = active.event.id
    const delivery = { id: threadId, entity, event: active.event, signal: caller.stop.signal, caller }
    const open = active.status === 'suspended' ? await readQuestion(ground, entity, read) : undefined
    if (open === undefined || open === 'over' || open === 'again')
      return conclude(setup, runs, threadId, caller, await activate(ground, delivery))
    const { questionId, question } = open as Extract<StoredOutcome, { status: 'suspended' }>
    const answers = matchAnswers((question as unknown as ApprovalQuestion).approvals, approvals)
    const answer = { answers: answers as unknown as Storable }
    const outcome = await resume(ground, { ...delivery, questionId, answer })
    const known = outcome.status === 'already_answered' ? await activate(ground, delivery) : outcome
    return conclude(setup, runs, threadId, caller, known)
  }
  if (committed !== undefined && isOfRun(approvals, committed.eventId)) {
    caller.runId = committed.eventId
    return storedResult(setup, runs, threadId, caller)
  }
  throw new KeepsakeError(
    'conflict',
    'No call of this thread waits for these approvals: its run has gone on, failed or was deleted. Nothing was run.',
  )
}
