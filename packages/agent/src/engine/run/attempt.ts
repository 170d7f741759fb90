import { KeepsakeError, type Row, type Storable } from '@keepsake/core'
import type { Outcome } from '../activation.ts'
import { fingerprint } from '../fingerprint.ts'
import { runningName, type Ground } from '../ground.ts'
import type { Staged } from '../longterm/staged-store.ts'
import { loadBlob, type MemoryBlob } from '../memory/memory-blob.ts'
import type { MemoryState } from '../memory/memory-state.ts'
import { workingMemory } from '../memory/working-memory.ts'
import type { Failure } from '../rows/head.ts'
import { answerKey, journalPrefix, placeName, readAnswer, readJournal, type Journal } from '../rows/journal.ts'
import { isDamage } from '../rows/row.ts'
import { questionId } from '../question-id.ts'
import { scanRows } from '../store-calls.ts'
import { copyJournal } from './copy-journal.ts'
import { decide } from './decide.ts'
import { ensureDue } from './ensure-due.ts'
import { messageOf } from './failures.ts'
import { finishFailed } from './finish.ts'
import { handlerContext, type SaidRow } from './handler-context.ts'
import type { HeadKeeper } from './head-keeper.ts'
import { journalPlayer, type AskedQuestion, type JournalPlayer } from './journal-player.ts'
import { runStop, type RunStop, type Stop } from './run-stop.ts'
import { scopedCalls } from './scoped-calls.ts'

/** What an attempt came to; `lost`: another worker has it, look again. */
export type AttemptOutcome = Outcome<Storable | undefined> | { status: 'lost' }

/** An event that this worker has claimed or taken over. */
export interface Attempt {
  id: string
  keeper: HeadKeeper
  memory: MemoryState
  /** Whether the activation is this attempt's own: then it has no journal yet. */
  claimed: boolean
  signal: AbortSignal | undefined
  /** What the caller passed along. */
  caller?: unknown
}

/** What a run of the handler is decided from. */
export interface RunState {
  blob: MemoryBlob
  staged: Staged
  said: { row?: SaidRow }
}

/** Runs the handler until the activation is decided, suspended, failed, or not ours any more. */
export async function runAttempt(ground: Ground, attempt: Attempt): Promise<AttemptOutcome> {
  const { keeper, signal } = attempt
  const { seams, options, running } = ground
  const name = runningName(keeper.entity, keeper.head.active!.ep)
  let current: RunStop | undefined
  let ended: Stop | undefined
  function end(stop: Stop): void {
    ended ??= stop
    current?.end(stop)
  }
  const onAbort = (): void =>
    end(options.abortFails ? { kind: 'failed', failure: ABORTED } : { kind: 'broken', error: aborted(signal!.reason) })
  running.add(name)
  const cancelTimer = seams.setTimer(options.timeoutMs, () =>
    end({ kind: 'failed', failure: timedOut(options.timeoutMs) }),
  )
  const stopRenewing = keeper.keepRenewing(() => end({ kind: 'lost' }))
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    if (signal?.aborted) onAbort()
    let known = -1
    if (keeper.head.active!.copyFrom !== undefined) await copyJournal(ground, keeper)
    for (let first = attempt.claimed; ; first = false) {
      const journal = first ? { entries: new Map(), answers: new Map() } : await loadJournal(ground, keeper)
      current = runStop()
      if (ended !== undefined) current.end(ended)
      const outcome = await runOnce(ground, attempt, journal, current)
      if (outcome !== 'restart') return outcome
      // Each restart has at least one more entry: one without would go on for ever.
      if (journal.entries.size <= known) return await fail(ground, attempt, endlessRestart())
      known = journal.entries.size
    }
  } catch (error) {
    if (signal?.aborted) await giveBack(keeper)
    // What the clean-up has removed is no damage: the activation was another's by then.
    if (isDamage(error) && !(await keeper.renew())) return { status: 'lost' }
    throw error
  } finally {
    current?.end({ kind: 'lost' })
    cancelTimer()
    stopRenewing()
    signal?.removeEventListener('abort', onAbort)
    running.delete(name)
  }
}

async function loadJournal({ store }: Ground, { entity, head }: HeadKeeper): Promise<Journal> {
  const rows: Row[] = []
  for await (const row of scanRows(store, entity, journalPrefix(head.active!.s))) rows.push(row)
  return readJournal(rows)
}

async function runOnce(
  ground: Ground,
  attempt: Attempt,
  journal: Journal,
  stop: RunStop,
): Promise<AttemptOutcome | 'restart'> {
  const { id, keeper, memory } = attempt
  const active = keeper.head.active!
  const { s, nowMs } = active
  const { options } = ground
  const blob = loadBlob(memory.snapshot, memory.changes, nowMs)
  const state: RunState = { blob, staged: { rows: new Map(), directories: new Set() }, said: {} }
  const player = journalPlayer(ground, { keeper, s, journal, stop })
  const interrupt = interrupter(ground, attempt, { journal, stop, player })
  const calls = scopedCalls(ground, { player, stop, interrupt })
  const longterm = options.longterm === undefined ? undefined : await ground.longterm()
  const context = handlerContext(ground, { id, active, ...state, longterm, calls, stop, caller: attempt.caller })

  async function handle(): Promise<unknown> {
    stop.check()
    const output: unknown = await options.handler(context.activation, context.inner)
    await player.settled()
    stop.check()
    const entries = workingMemory(blob, { id, nowMs, bounds: options.bounds, reserved: false })
    await options.summarizer?.run(blob, entries, calls.callModel)
    return output
  }
  const handled = handle().then(
    (output) => ({ output }),
    (error: unknown) => ({ error }),
  )
  const result = await Promise.race([handled, stop.stopped.then(() => undefined)])
  if (stop.stop === undefined && result !== undefined && 'output' in result && player.checkUsed()) {
    stop.close()
    try {
      return await decide(ground, attempt, state, result.output)
    } catch (error) {
      if (!isRefusal(error)) throw error
      return fail(ground, attempt, handlerFailure(error))
    }
  }
  if (stop.stop === undefined) {
    await player.settled()
    stop.end({ kind: 'failed', failure: handlerFailure((result as { error: unknown }).error) })
  }
  return stopped(ground, attempt, stop.stop!)
}

async function stopped(ground: Ground, attempt: Attempt, stop: Stop): Promise<AttemptOutcome | 'restart'> {
  switch (stop.kind) {
    case 'restart':
      return 'restart'
    case 'lost':
      return { status: 'lost' }
    case 'broken':
      throw stop.error
    case 'failed':
      return fail(ground, attempt, stop.failure)
    case 'suspended': {
      const { s, question } = attempt.keeper.head.active!
      return { status: 'suspended', questionId: questionId(s, question!), question: stop.question as never }
    }
    default:
      throw new TypeError('a stop of no kind')
  }
}

async function fail(ground: Ground, { id, keeper }: Attempt, failure: Failure): Promise<AttemptOutcome> {
  const active = keeper.head.active!
  const moved = await keeper.move((head) => ({ ...head, active: { ...active, status: 'failed', failure } }))
  if (moved === undefined) return { status: 'lost' }
  // Once the head says so it has failed, whoever writes it down.
  await finishFailed(ground, id, keeper)
  return { status: 'failed', error: { code: failure.code as never, message: failure.message } }
}

/** Makes the questions of one run: only the first that has no answer suspends. */
function interrupter(
  ground: Ground,
  { id, keeper }: Attempt,
  { journal, stop, player }: { journal: Journal; stop: RunStop; player: JournalPlayer },
): (scope: string, question: Storable) => Promise<Storable> {
  let suspending = false
  const { s } = keeper.head.active!

  async function suspend({ place, row, adopt }: AskedQuestion, hash: string, question: Storable): Promise<void> {
    // What was called beside it is journaled first: it would be called again.
    await player.settled()
    stop.check()
    const due = await ensureDue(ground, id, keeper)
    const rows = row === undefined ? [] : [row]
    const moved = await keeper.move(
      (head) => ({ ...head, ...due, active: { ...head.active!, status: 'suspended', question: { ...place, hash } } }),
      rows,
    )
    if (moved === undefined) return stop.end({ kind: 'lost' })
    if (moved[0]?.status === 'stale' && !(await adopt())) {
      // Another attempt asked something else here: this one runs again, with what that one has read.
      await keeper.move((head) => {
        const { question: _question, ...active } = head.active!
        return { ...head, active: { ...active, status: 'running' } }
      })
      return stop.end({ kind: 'restart' })
    }
    stop.end({ kind: 'suspended', question })
  }

  return async (scope, question) => {
    const hash = fingerprint(['question', question])
    const asked = await player.ask(scope, hash, question)
    let answer = journal.answers.get(placeName(asked.place))
    try {
      if (answer === undefined && asked.row === undefined) {
        const [row] = await ground.store.load([{ entity: keeper.entity, key: answerKey(s, asked.place) }])
        answer = readAnswer(row)
      }
      // While the journal was read, another's question may have been asked here, and answered: then it is met below.
      if (answer?.hash === hash) return answer.answer
      if (!suspending) {
        suspending = true
        await suspend(asked, hash, question)
      }
    } catch (error) {
      stop.end({ kind: 'broken', error })
    }
    await stop.stopped
    stop.check()
    throw new KeepsakeError('aborted', 'This activation is suspended.')
  }
}

/** The lease at once: whoever delivers the event again need not wait for it. */
async function giveBack(keeper: HeadKeeper): Promise<void> {
  const { active } = keeper.head
  if (active?.status !== 'running') return
  await keeper.move((head) => ({ ...head, active: { ...head.active!, leaseEndsAtMs: 0 } })).catch(() => undefined)
}

/** What a commit cannot be: the handler's to answer for. */
function isRefusal(error: unknown): error is KeepsakeError {
  return ['invalid_value', 'invalid_key', 'too_large'].some((code) => KeepsakeError.isInstance(error, code as never))
}

function handlerFailure(error: unknown): Failure {
  const code = KeepsakeError.isInstance(error) ? error.code : 'run_failed'
  return { kind: 'handler_error', code, message: messageOf(error) }
}

const ABORTED: Failure = { kind: 'abandoned', code: 'aborted', message: 'The run was stopped by its signal.' }

function timedOut(timeoutMs: number): Failure {
  return {
    kind: 'timeout',
    code: 'run_failed',
    message: `The handler took longer than its ${timeoutMs} ms (timeoutMs) and was stopped.`,
  }
}

function endlessRestart(): Failure {
  return {
    kind: 'replay_diverged',
    code: 'replay_diverged',
    message: 'The handler was replayed with everything that it had read before, and asked something else.',
  }
}

function aborted(cause: unknown): KeepsakeError {
  return new KeepsakeError('aborted', 'The attempt was aborted by its signal. Delivered again, the event goes on.', {
    cause,
  })
}
