import { KeepsakeError, registerSubject, type RowWrite, type Storable } from '@keepsake/core'
import { cleanUp } from './clean-up.ts'
import { inBackground, runningName, type Ground } from './ground.ts'
import type { MemoryState } from './memory/memory-state.ts'
import { eventRow, type DeadLetter } from './rows/event.ts'
import { isSameCommit, type Active, type Head, type ReadHead } from './rows/head.ts'
import type { Attempt } from './run/attempt.ts'
import { headKeeper, type HeadKeeper } from './run/head-keeper.ts'

/** An event as it was delivered, checked. */
export interface Delivery {
  id: string
  entity: string
  event: { id: string; data: Storable }
  signal: AbortSignal | undefined
  /** Where a dead letter is run again: what it holds, and whether its journal is wanted. */
  retry?: { letter: DeadLetter; journal: 'keep' | 'drop' }
  /** Handed to the handler of whatever is run on this delivery. */
  caller?: unknown
  /** Told when it has to wait for another worker's. */
  onBusy?: () => void
}

/** Claims the event on a head on which nothing is active. `undefined`: somebody was faster, look again. */
export async function claim(
  ground: Ground,
  { id, entity, event, signal, retry, caller }: Delivery,
  { head, version }: ReadHead,
  memory: MemoryState,
): Promise<Attempt | undefined> {
  const { clock, options, store } = ground
  const nowMs = clock.nowMs()
  const { committed, lastS } = head
  const subject = version === 0 ? options.subjectOf(id, event.data) : undefined
  if (subject !== undefined) await registerSubject(store, subject, [entity], clock)
  const last =
    committed === undefined
      ? []
      : [eventRow(entity, committed.eventId, committed, { nowMs, expiresAtMs: nowMs + options.dedupeMs })]
  const keep = retry !== undefined && keepsJournal(retry, head)
  const s = clock.nextSeq(lastS)
  const keeper = headKeeper(ground, entity, { head, version })
  const moved = await moveAsOwner(
    ground,
    keeper,
    (at, seq) => {
      const active: Active = {
        s,
        // A journal that is kept holds what was asked at its time.
        nowMs: keep ? retry.letter.nowMs : nowMs,
        event,
        owner: ground.owner,
        ep: seq,
        leaseEndsAtMs: nowMs + options.leaseMs,
        status: 'running',
        ...(keep && { copyFrom: retry.letter.s }),
      }
      const next = { ...at, active }
      if (committed !== undefined) next.cleanS = ground.cleaned.get(entity) ?? at.cleanS
      return next
    },
    last,
  )
  if (moved === undefined) return undefined
  if (committed !== undefined) {
    inBackground(ground, async () => {
      await cleanUp(ground, { id, entity }, committed, head.cleanS)
      ground.remember(ground.cleaned, entity, committed.s)
    })
  }
  return { id, keeper, memory, claimed: !keep, signal, caller }
}

/**
 * Whether a retry is served from the journal of what failed: not once something else was committed, or the working memory
 * has expired. What the handler sees would be something else, and so would be what it asks.
 */
export function keepsJournal({ letter, journal }: NonNullable<Delivery['retry']>, head: Head): boolean {
  return (
    journal === 'keep' && isSameCommit(letter.committed, head.committed) && isSameCommit(letter.memory, head.memory)
  )
}

/** Takes over the active event, whoever has it: the same activation, in an epoch of ours. `undefined`: somebody was faster. */
export async function takeOver(
  ground: Ground,
  { id, entity, signal, caller }: Pick<Delivery, 'id' | 'entity' | 'signal' | 'caller'>,
  read: ReadHead,
  memory: MemoryState,
): Promise<Attempt | undefined> {
  const { clock, options } = ground
  const keeper = headKeeper(ground, entity, read)
  const moved = await moveAsOwner(ground, keeper, (head, seq) => {
    const { question: _question, ...active } = head.active!
    const leaseEndsAtMs = clock.nowMs() + options.leaseMs
    return { ...head, active: { ...active, owner: ground.owner, ep: seq, status: 'running', leaseEndsAtMs } }
  })
  return moved && { id, keeper, memory, claimed: false, signal, caller }
}

/** Moves the head into an epoch of ours. From before it is there this engine says that it works on it. */
async function moveAsOwner(
  { running }: Ground,
  keeper: HeadKeeper,
  change: (head: Head, seq: number) => Head,
  rows: readonly RowWrite[] = [],
): Promise<unknown[] | undefined> {
  let name = ''
  let moved: unknown[] | undefined
  try {
    moved = await keeper.move((head, seq) => {
      name = runningName(keeper.entity, seq)
      running.add(name)
      return change(head, seq)
    }, rows)
    return moved
  } finally {
    if (moved === undefined) running.delete(name)
  }
}

export function refusedErased(): KeepsakeError {
  return new KeepsakeError('conflict', 'This entity was erased, or is being erased: it takes no events.')
}
