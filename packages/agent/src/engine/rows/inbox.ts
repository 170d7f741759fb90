import { decodeTuple, encodeTuple, type Row, type RowWrite, type Storable } from '@keepsake/core'
import { ascending, engineRow, isGone, valueOf } from './row.ts'

/** A submitted event, in the order of submission. */
export interface InboxItem {
  row: Row
  n: number
  eventId: string
  /** Left out where it cannot be read any more. */
  event?: { id: string; data: Storable }
}

/** The inbox of an entity: not `i`, which is chat memory's. */
export const INBOX: string = encodeTuple(['in'])
/** The highest n that was given in this entity. */
export const TAIL_KEY: string = encodeTuple(['t'])

export function inboxKey(n: number, eventId: string): string {
  return encodeTuple(['in', ascending(n), eventId])
}

/** A submitted event with the tail, in one call of one entity. */
export function inboxRows(entity: string, n: number, event: { id: string; data: Storable }, nowMs: number): RowWrite[] {
  return [
    engineRow({ entity, key: TAIL_KEY, value: null, nowMs, guard: 'monotonic' }, n),
    engineRow({ entity, key: inboxKey(n, event.id), value: event.data, nowMs, guard: 'absent' }, n),
  ]
}

export function readInboxItem(row: Row): InboxItem {
  const [, n = '', id = ''] = decodeTuple(row.key)
  const event = isGone(row) ? {} : { event: { id, data: valueOf<Storable>(row) } }
  return { row, n: Number.parseInt(n, 16), eventId: id, ...event }
}
