import { KeepsakeError, normalise, ownerEntity, type RowWrite } from '@keepsake/core'
import type { Ground } from '../ground.ts'
import { makePlan } from '../longterm/plan.ts'
import { memoryOfCommit } from '../memory/memory-state.ts'
import { commitRow, type Commit } from '../rows/commit.ts'
import { eventKey, readEvent } from '../rows/event.ts'
import { headId, isSameCommit, readHead, type CommitRef } from '../rows/head.ts'
import type { Attempt, AttemptOutcome, RunState } from './attempt.ts'
import { ensureDue } from './ensure-due.ts'
import { committedHead, finishDecided } from './finish.ts'
import type { HeadKeeper } from './head-keeper.ts'

/** Makes of a handler that has ended what is committed: at once, or, with long-term writes, decided first and then flushed. */
export async function decide(
  ground: Ground,
  { id, keeper, memory }: Attempt,
  { blob, staged, said }: RunState,
  returned: unknown,
): Promise<AttemptOutcome> {
  const { clock, store } = ground
  const { entity, head } = keeper
  const active = head.active!
  const ref: CommitRef = { s: active.s, ep: active.ep }
  const output = returned === undefined ? undefined : normalise(returned, 'What the handler returned')
  const saidRow = await said.row?.({ ...ref, ...(head.said !== undefined && { previous: head.said }) })
  const plan =
    staged.rows.size === 0 ? undefined : await makePlan(await ground.longterm(), ownerEntity(id), staged, ref.s)
  const nowMs = clock.nowMs()
  const writeId = clock.newId()
  const kept = memoryOfCommit(ref, blob, memory, head, { entity, nowMs, writeId })
  const { committed } = head
  const commit: Commit = {
    ...(committed !== undefined && { previous: { s: committed.s, ep: committed.ep } }),
    eventId: active.event.id,
    nowMs: active.nowMs,
    atMs: nowMs,
    ...(output !== undefined && { output }),
    ...(saidRow !== undefined && { said: { key: saidRow.key, seq: saidRow.seq } }),
    ...kept.fields,
    ...(plan !== undefined && { plan }),
  }
  const rows = [...kept.rows, ...(saidRow === undefined ? [] : [saidRow]), commitRow(entity, ref, commit, writeId)]
  checkSizes(rows, store.limits.maxRecBytes)
  const due = await ensureDue(ground, id, keeper)
  const moved = await keeper.move((at) => {
    const next = { ...at, ...due }
    return plan === undefined
      ? committedHead(next, active, commit)
      : { ...next, active: { ...active, status: 'decided' } }
  }, rows)
  if (moved === undefined) {
    await removeUnlessNamed(ground, keeper, ref, active.event.id, rows)
    return { status: 'lost' }
  }
  if (plan !== undefined && !(await finishDecided(ground, keeper, commit))) return { status: 'lost' }
  return { status: 'completed', output, replayed: false }
}

/** Not ours any more: what we wrote for it goes, unless an answer was lost and it counts all the same. */
async function removeUnlessNamed(
  { store, clock }: Ground,
  { entity }: HeadKeeper,
  ref: CommitRef,
  eventId: string,
  rows: readonly RowWrite[],
): Promise<void> {
  const [row] = await store.load([headId(entity)])
  const [event] = await store.load([{ entity, key: eventKey(eventId) }])
  const { committed, active } = readHead(row).head
  const named = [committed, active, readEvent(event, clock.nowMs())]
  if (named.some((each) => isSameCommit(each, ref))) return
  await store.remove(rows)
}

function checkSizes(rows: readonly RowWrite[], maxBytes: number): void {
  const bytes = Math.max(...rows.map(({ rec }) => rec.length))
  if (bytes <= maxBytes) return
  throw new KeepsakeError(
    'too_large',
    `What this event commits has ${bytes} bytes; at most ${maxBytes} fit in one record of this store. Return less, write fewer long-term records in one event, or keep large content in files. Nothing was committed.`,
    { details: { bytes, maxBytes } },
  )
}
