import { throwIfAborted, type Row, type Storable } from '@keepsake/core'
import type { Outcome } from './activation.ts'
import { claim, refusedErased, takeOver, type Delivery } from './claim.ts'
import { runningName, type Ground } from './ground.ts'
import { memoryIds, readMemory, type MemoryState } from './memory/memory-state.ts'
import { questionId } from './question-id.ts'
import { commitKey, readCommit, type Commit } from './rows/commit.ts'
import { deadLetterKey, eventKey, readDeadLetter, readEvent, type DeadLetter } from './rows/event.ts'
import { headId, readHead, type Active, type CommitRef, type ReadHead } from './rows/head.ts'
import { answerKey, askedHash, entryId, readAnswer, readEntry } from './rows/journal.ts'
import { damaged, isDamage } from './rows/row.ts'
import { runAttempt, type Attempt } from './run/attempt.ts'
import { finishDecided, finishFailed } from './run/finish.ts'
import { headKeeper } from './run/head-keeper.ts'
import { sleep } from './seams.ts'

export type StoredOutcome = Outcome<Storable | undefined>

/** How long after its end by the wall clock a lease is dead to whoever sees it the first time. */
const DEAD_AFTER_MS = 60_000
const POLL_MS = 100

/** Sees to it that the event was worked, by whomever: the first part of the protocol. `first`: the head, if it was just read. */
export async function activate(ground: Ground, delivery: Delivery, first?: ReadHead): Promise<StoredOutcome> {
  const { seams, options } = ground
  const untilMs = seams.monotonicMs() + options.waitMs
  let wasThere = false
  for (let known = first; ; known = undefined) {
    throwIfAborted(delivery.signal)
    const read = known ?? (await readEntityHead(ground, delivery.entity))
    // A head that is gone was erased while this call was under way: what it holds is of before that.
    if (read.head.erased || (wasThere && read.version === 0)) throw refusedErased()
    wasThere = read.version > 0
    const rows = await unlessMoved(ground, delivery.entity, read, readEventRows(ground, delivery, read))
    if (rows === 'moved') continue
    if ('outcome' in rows) return rows.outcome
    const { active } = read.head
    const { letter, memory } = rows
    // A retry runs what failed before it, and nothing that has failed since.
    const isOver = letter !== undefined && letter.s !== delivery.retry?.letter.s
    if (isOver && active?.event.id !== delivery.event.id) {
      const { code, message } = letter.failure
      return { status: 'failed', error: { code: code as never, message } }
    }
    if (active === undefined) {
      const attempt = await claim(ground, delivery, read, memory)
      wasThere = true
      const outcome = await work(ground, attempt)
      if (outcome !== undefined) return outcome
      continue
    }
    const next = await workOnActive(ground, delivery, read, memory)
    if (next === 'again') continue
    if (next !== 'busy') return next
    const leftMs = untilMs - seams.monotonicMs()
    if (leftMs <= 0) return { status: 'busy' }
    delivery.onBusy?.()
    await sleep(seams, Math.min(leftMs, POLL_MS), delivery.signal)
  }
}

export async function readEntityHead({ store }: Ground, entity: string): Promise<ReadHead> {
  const [row] = await store.load([headId(entity)])
  return readHead(row)
}

/** What the head named may have been cleaned up, or erased, since it was read: then it is no damage that it is missing. */
async function unlessMoved<T>(
  ground: Ground,
  entity: string,
  { version }: ReadHead,
  reading: Promise<T>,
): Promise<T | 'moved'> {
  try {
    return await reading
  } catch (error) {
    if (isDamage(error) && (await readEntityHead(ground, entity)).version !== version) return 'moved'
    throw error
  }
}

interface EventRows {
  letter: DeadLetter | undefined
  memory: MemoryState
}

/** What is known of the event, and the working memory that it would run on: one read, after that of the head. */
async function readEventRows(
  { store, clock }: Ground,
  { entity, event }: Delivery,
  { head }: ReadHead,
): Promise<EventRows | { outcome: StoredOutcome }> {
  const { committed, memory } = head
  if (committed?.eventId === event.id) {
    const [row] = await store.load([{ entity, key: commitKey(committed) }])
    return { outcome: replayed(row) }
  }
  const [eventRow, letterRow, ...memoryRows] = await store.load([
    { entity, key: eventKey(event.id) },
    { entity, key: deadLetterKey(event.id) },
    ...memoryIds(entity, memory),
  ])
  const done: CommitRef | undefined = readEvent(eventRow, clock.nowMs())
  if (done !== undefined) {
    const [row] = await store.load([{ entity, key: commitKey(done) }])
    return { outcome: replayed(row) }
  }
  return { letter: readDeadLetter(letterRow, clock.nowMs()), memory: readMemory(memory, memoryRows) }
}

function replayed(row: Row | undefined): StoredOutcome {
  if (row === undefined) throw damaged('The commit of this event is missing')
  const { output }: Commit = readCommit(row)
  return { status: 'completed', output, replayed: true }
}

/** Brings what is active further, where that can be done. */
async function workOnActive(
  ground: Ground,
  delivery: Delivery,
  read: ReadHead,
  memory: MemoryState,
): Promise<StoredOutcome | 'again' | 'busy'> {
  const { id, entity, event } = delivery
  const active = read.head.active!
  switch (active.status) {
    case 'decided':
      await unlessMoved(ground, entity, read, finishDecided(ground, headKeeper(ground, entity, read)))
      return 'again'
    case 'failed':
      await finishFailed(ground, id, headKeeper(ground, entity, read))
      return 'again'
    case 'suspended': {
      const open = await readQuestion(ground, entity, read)
      if (open !== 'over') return open
      break
    }
    case 'running':
      if (!isDead(ground, entity, read.version, active)) return 'busy'
      break
    default:
      throw damaged('The head has a status that is none')
  }
  const outcome = await work(ground, await takeOver(ground, delivery, read, memory))
  return outcome !== undefined && active.event.id === event.id ? outcome : 'again'
}

/** Runs what was claimed or taken over. `undefined`: it was not ours, or is not any more. */
async function work(ground: Ground, attempt: Attempt | undefined): Promise<StoredOutcome | undefined> {
  if (attempt === undefined) return undefined
  const outcome = await runAttempt(ground, attempt)
  return outcome.status === 'lost' ? undefined : outcome
}

/** The open question of a suspended activation; `over`: the activation can go on. */
export async function readQuestion(
  ground: Ground,
  entity: string,
  read: ReadHead,
): Promise<StoredOutcome | 'over' | 'again'> {
  const open = await unlessMoved(ground, entity, read, questionOf(ground, entity, read.head.active!))
  return open === 'moved' ? 'again' : open
}

async function questionOf({ store }: Ground, entity: string, { s, question }: Active): Promise<StoredOutcome | 'over'> {
  const [answer, row] = await store.load([{ entity, key: answerKey(s, question!) }, entryId(entity, s, question!)])
  if (readAnswer(answer) !== undefined) return 'over'
  if (row === undefined) throw damaged('The question of a suspended activation is missing')
  // Another attempt had asked something else there: whoever suspended has died before it could run again.
  if (askedHash(row) !== question!.hash) return 'over'
  const asked = readEntry(row, () => undefined).question as never
  return { status: 'suspended', questionId: questionId(s, question!), question: asked }
}

/** Whether nobody works on what is running any more, as far as anybody can tell: safety does not hang on it. */
function isDead(ground: Ground, entity: string, version: number, active: Active): boolean {
  const { seams, clock, options, seen, running } = ground
  if (active.owner === ground.owner) return !running.has(runningName(entity, active.ep))
  if (active.leaseEndsAtMs === 0 || active.leaseEndsAtMs + DEAD_AFTER_MS < clock.nowMs()) return true
  const nowMs = seams.monotonicMs()
  const before = seen.get(entity)
  if (before?.version === version) return nowMs - before.sinceMs >= options.leaseMs
  ground.remember(seen, entity, { version, sinceMs: nowMs })
  return false
}
