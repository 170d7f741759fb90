import { KeepsakeError } from '@keepsake/core'
import { activate, readEntityHead, type StoredOutcome } from './activate.ts'
import { keepsJournal } from './claim.ts'
import type { Ground } from './ground.ts'
import { deadLetterKey, eventKey, readDeadLetter, readEvent } from './rows/event.ts'

/** Runs a dead letter again, as a new activation. Says whether its journal was kept. */
export async function retry(
  ground: Ground,
  { id, entity, eventId, journal }: { id: string; entity: string; eventId: string; journal: 'keep' | 'drop' },
  signal?: AbortSignal,
): Promise<StoredOutcome & { journal: 'keep' | 'drop' }> {
  const { head } = await readEntityHead(ground, entity)
  const [letterRow, eventRow] = await ground.store.load([
    { entity, key: deadLetterKey(eventId) },
    { entity, key: eventKey(eventId) },
  ])
  const nowMs = ground.clock.nowMs()
  const letter = readDeadLetter(letterRow, nowMs)
  const active = head.active?.event.id === eventId ? head.active.event : undefined
  const committed = head.committed?.eventId === eventId || readEvent(eventRow, nowMs) !== undefined
  const event = active ?? letter?.event ?? (committed ? { id: eventId, data: null } : undefined)
  if (event === undefined) {
    throw new KeepsakeError(
      'invalid_value',
      `There is no dead letter of this event: it has not failed, was never delivered, or failed more than ${ground.options.dedupeMs} ms ago.`,
    )
  }
  const again = letter === undefined ? {} : { retry: { letter, journal } }
  const kept = letter !== undefined && keepsJournal({ letter, journal }, head)
  const outcome = await activate(ground, { id, entity, event, signal, ...again })
  return { ...outcome, journal: kept ? 'keep' : 'drop' }
}
