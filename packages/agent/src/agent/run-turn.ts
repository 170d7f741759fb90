import { checkSchema, encodeEnvelope, KeepsakeError, threadEntity, type Message, type Storable } from '@keepsake/core'
import { activate, readEntityHead, readQuestion, type StoredOutcome } from '../engine/activate.ts'
import type { Delivery } from '../engine/claim.ts'
import { checkNamesOfEvent } from '../engine/entity.ts'
import { fingerprint } from '../engine/fingerprint.ts'
import { inBackground } from '../engine/ground.ts'
import { checkEventSize } from '../engine/inbox/submit.ts'
import { resume } from '../engine/resume.ts'
import { commitKey, readCommit } from '../engine/rows/commit.ts'
import { deadLetterKey, eventKey, readDeadLetter, readEvent } from '../engine/rows/event.ts'
import { headId, readHead, type ReadHead } from '../engine/rows/head.ts'
import type { CheckedInput } from '../options/check-input.ts'
import type { AgentSetup } from '../options/check-options.ts'
import { refuse } from '../options/refuse.ts'
import { afterRunOf } from '../tools/as-tool.ts'
import type { Emit } from '../stream/stream-part.ts'
import { THREAD_KIND, type AgentRuns } from './agent-runs.ts'
import { isOfRun, matchAnswers, type ApprovalQuestion } from './approvals.ts'
import type { Caller, RunData, RunOutput } from './caller.ts'
import { forgetLeftovers, wasDeleted } from './forget-runs.ts'
import { notTheirs } from './handle-run.ts'
import { withUnknown } from './journaled-answer.ts'
import { replaySteps } from './replay-turn.ts'
import { during, runFailed, withRunId } from './run-failed.ts'
import type { RunResult } from './run-result.ts'
import { runSignal } from './run-signal.ts'
import type { StartedMiddleware } from './start-middleware.ts'
import { textOf } from './text-of.ts'

/**
 * One turn of a thread, from its input to its result: an activation of the thread. A run that is stored already is not run
 * again: its result is served. One that was cut off goes on.
 */
export async function runTurn(
  setup: AgentSetup,
  runs: () => AgentRuns,
  take: () => CheckedInput,
  emit?: Emit,
): Promise<RunResult> {
  const input = take()
  const stop = runSignal(input.signal, setup.limits.timeoutMs, setup.clock)
  const caller: Caller = {
    runId: input.runId ?? setup.clock.newId(),
    context: undefined,
    owner: undefined,
    subject: undefined,
    stop,
    emit,
    own: {},
  }
  try {
    stop.check()
    emit?.({ type: 'start' })
    await stop.race(identify(setup, input, caller))
    if (runs().isBusy(input.threadId)) caller.own.waited = true
    const delivered = runs().inTurn(input.threadId, async () => {
      stop.check()
      return deliver(setup, runs(), input, caller)
    })
    const result = await stop.race(delivered)
    if (result.status === 'completed' && !result.replayed) {
      for (const one of (caller.own.middleware ?? []).toReversed()) await endRun(one, result)
      endTools(setup, runs(), result)
    }
    return result
  } catch (error) {
    if (!KeepsakeError.isInstance(error)) throw error
    const { waited, ran } = caller.own
    const inVain = waited === true && ran !== true && error.details['timeoutMs'] !== undefined
    throw withRunId(inVain ? waitedTooLong(setup) : error, caller.runId)
  } finally {
    stop.release()
  }
}

/** Checks the context and works out from it whose run this is. */
async function identify(setup: AgentSetup, input: CheckedInput, caller: Caller): Promise<void> {
  caller.context = await during('The context schema', () => checkSchema(setup.context, input.context, 'context'))
  caller.owner = await personOf('owner', setup.owner, caller.context)
  caller.subject = await personOf('subject', setup.subject, caller.context)
}

/** A person that cannot be told must not become nobody: nobody's memory would be everybody's. */
async function personOf(
  name: 'owner' | 'subject',
  from: ((context: any) => string) | undefined,
  context: unknown,
): Promise<string | undefined> {
  if (from === undefined) return undefined
  const person: unknown = await during(`The ${name} function`, () => from(context))
  if (typeof person !== 'string' || person === '')
    throw refuse(`What the ${name} function gives`, 'a text that is not empty', person)
  return person
}

async function endRun({ name, hooks }: StartedMiddleware, result: RunResult): Promise<void> {
  try {
    await hooks.end?.(result)
  } catch (error) {
    throw runFailed(`end of the middleware "${name}" failed`, error, { stored: 'The run is complete and stored.' })
  }
}

/** Lets the tools that the run called do what they do after it: nobody waits for that. */
function endTools({ tools }: AgentSetup, { ground }: AgentRuns, { messages, threadId, runId }: RunResult): void {
  const called = new Set(
    messages.flatMap(({ role, content }) =>
      role === 'assistant' && typeof content !== 'string'
        ? content.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []))
        : [],
    ),
  )
  for (const name of called) {
    const tool = tools.get(name)
    const after = tool && afterRunOf(tool)
    if (after !== undefined) inBackground(ground, () => after({ threadId, id: runId }))
  }
}

async function deliver(setup: AgentSetup, runs: AgentRuns, input: CheckedInput, caller: Caller): Promise<RunResult> {
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

/** What an outcome means for the caller. */
async function conclude(
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
      const { output, messages } = own.done
      finish(emit, output)
      const { memory } = own.done
      return { ...resultOf(runId, threadId, output, messages, false), ...(memory !== undefined && { memory }) }
    }
    case 'suspended':
      return suspendedResult(setup, threadId, caller, outcome)
    case 'failed':
      if (own.error !== undefined) throw own.error
      if (outcome.error.message === wasDeleted().message) {
        await forgetLeftovers(runs, threadId)
        throw wasDeleted()
      }
      throw new KeepsakeError(outcome.error.code, outcome.error.message)
    default:
      throw waitedTooLong(setup)
  }
}

function waitedTooLong({ limits: { timeoutMs } }: AgentSetup): KeepsakeError {
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
async function storedResult(
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
  const [turn] = said === undefined ? [] : await store.load([{ entity, key: said }])
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
