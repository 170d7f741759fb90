import { KeepsakeError, throwIfAborted, type Storable } from '@keepsake/core'
import { activate, readEntityHead, type StoredOutcome } from './activate.ts'
import { refusedErased, takeOver } from './claim.ts'
import type { Ground } from './ground.ts'
import { loadMemory } from './memory/memory-state.ts'
import { parseQuestionId, type QuestionRef } from './question-id.ts'
import { answerRow } from './rows/journal.ts'
import type { Active, ReadHead } from './rows/head.ts'
import { runAttempt } from './run/attempt.ts'
import { finishFailed } from './run/finish.ts'
import { headKeeper } from './run/head-keeper.ts'
import { writeRows } from './store-calls.ts'

export interface Resumption {
  id: string
  entity: string
  questionId: string
  answer: Storable
  signal: AbortSignal | undefined
  caller?: unknown
}

/** Brings the answer to the open question, and goes on with the event. The first answer counts. */
export async function resume(
  ground: Ground,
  { id, entity, questionId, answer, signal, caller }: Resumption,
): Promise<StoredOutcome | { status: 'already_answered' }> {
  const { clock, store } = ground
  throwIfAborted(signal)
  const question = parseQuestionId(questionId)
  const { head } = await readEntityHead(ground, entity)
  if (head.erased) throw refusedErased()
  if (!asks(head.active, question)) return { status: 'already_answered' }
  const write = { nowMs: clock.nowMs(), writeId: clock.newId() }
  const row = answerRow(entity, question.s, question, { answer, hash: question.hash }, write)
  const [result] = await writeRows(ground, store, [row], { signal })
  const outcome = await goOn(ground, { id, entity, signal, caller }, question)
  if (result!.status === 'stale') return { status: 'already_answered' }
  return outcome ?? activate(ground, { id, entity, event: head.active!.event, signal, caller })
}

/** Takes over while the head is still suspended at the question. `undefined`: somebody else did. */
async function goOn(
  ground: Ground,
  place: Pick<Resumption, 'id' | 'entity' | 'signal' | 'caller'>,
  question: QuestionRef,
): Promise<StoredOutcome | undefined> {
  const { entity } = place
  const read = await readEntityHead(ground, entity)
  if (!asks(read.head.active, question)) return undefined
  const memory = await loadMemory(ground.store, entity, read.head.memory)
  const attempt = await takeOver(ground, place, read, memory)
  const outcome = attempt && (await runAttempt(ground, attempt))
  return outcome === undefined || outcome.status === 'lost' ? undefined : outcome
}

function asks(active: Active | undefined, { s, scope, ordinal, hash }: QuestionRef): boolean {
  const open = active?.status === 'suspended' && active.s === s ? active.question : undefined
  return open !== undefined && open.scope === scope && open.ordinal === ordinal && open.hash === hash
}

/** Makes a dead letter of a suspended event. */
export async function abandon(
  ground: Ground,
  { id, entity, eventId }: { id: string; entity: string; eventId: string },
): Promise<void> {
  const failure = {
    kind: 'abandoned' as const,
    code: 'aborted',
    message: 'The event was suspended at a question and was abandoned.',
  }
  for (;;) {
    const read = await readEntityHead(ground, entity)
    const { active } = read.head
    if (active?.event.id !== eventId || active.status !== 'suspended') {
      throw new KeepsakeError(
        'conflict',
        'Only a suspended event can be abandoned, and this one is not suspended: it may have been answered meanwhile.',
      )
    }
    if (await failSuspended(ground, id, entity, read, failure)) return
  }
}

/** Fails a suspended activation. Returns whether it was ours to fail. */
export async function failSuspended(
  ground: Ground,
  id: string,
  entity: string,
  read: ReadHead,
  failure: NonNullable<Active['failure']>,
): Promise<boolean> {
  const keeper = headKeeper(ground, entity, read)
  const moved = await keeper.move((head) => ({ ...head, active: { ...head.active!, status: 'failed', failure } }))
  if (moved === undefined) return false
  await finishFailed(ground, id, keeper)
  return true
}
