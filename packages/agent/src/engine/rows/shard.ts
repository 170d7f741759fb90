import { decodeTuple, encodeTuple, type Row, type RowId, type RowWrite } from '@keepsake/core'
import { fingerprint } from '../fingerprint.ts'
import { ascending, engineRow, valueOf } from './row.ts'

/** Work is listed in so many entities, so that workers do not meet in one. */
const SHARDS = 16

function shardEntity(kind: string, index: number): string {
  return encodeTuple(['work', kind, String(index)])
}

/** The shard that lists the work of `id`. */
export function shardOf(kind: string, id: string): string {
  return shardEntity(kind, Number.parseInt(fingerprint(id).slice(0, 8), 16) % SHARDS)
}

export function shardsOf(kind: string): string[] {
  return Array.from({ length: SHARDS }, (_, index) => shardEntity(kind, index))
}

/** Says that an entity has a submitted event. It holds no content. */
export interface Ready {
  row: Row
  n: number
  id: string
  eventId: string
}

export const READY: string = encodeTuple(['q'])

export function readyKey(n: number, id: string, eventId: string): string {
  return encodeTuple(['q', ascending(n), id, eventId])
}

export function readyRow(kind: string, n: number, id: string, eventId: string, nowMs: number): RowWrite {
  const key = readyKey(n, id, eventId)
  return engineRow({ entity: shardOf(kind, id), key, value: null, nowMs, guard: 'absent' }, n)
}

export function readReady(row: Row): Ready {
  const [, n = '', id = '', eventId = ''] = decodeTuple(row.key)
  return { row, n: Number.parseInt(n, 16), id, eventId }
}

/** Says when an entity should be looked at, because its working memory may have expired. */
export interface Due {
  row: Row
  id: string
  /** When to look, in Unix milliseconds. */
  nextMs: number
  /** When it expired: the time that its flush is written with, however often that is tried. */
  dueMs: number
  /** How often the flush has failed. */
  failures: number
}

export const DUES: string = encodeTuple(['due'])

export function dueRow(
  kind: string,
  { id, nextMs, dueMs, failures }: Omit<Due, 'row'>,
  write: { seq: number; nowMs: number },
): RowWrite {
  const key = encodeTuple(['due', ascending(nextMs), id])
  const value = { dueMs, failures }
  return engineRow({ entity: shardOf(kind, id), key, value, nowMs: write.nowMs, guard: 'monotonic' }, write.seq)
}

export function readDue(row: Row): Due {
  const [, next = '', id = ''] = decodeTuple(row.key)
  return { row, id, nextMs: Number.parseInt(next, 16), ...valueOf<{ dueMs: number; failures: number }>(row) }
}

/** Says that an entity has a dead letter, so that all of them can be listed. */
export const DEAD: string = encodeTuple(['x'])

export function deadIndexId(kind: string, id: string, eventId: string): RowId {
  return { entity: shardOf(kind, id), key: encodeTuple(['x', id, eventId]) }
}

export function deadIndexRow(
  kind: string,
  { id, eventId, s }: { id: string; eventId: string; s: number },
  life: { nowMs: number; expiresAtMs: number },
): RowWrite {
  return engineRow({ ...deadIndexId(kind, id, eventId), value: null, guard: 'monotonic', ...life }, s)
}

export function readDeadIndex(row: Row): { id: string; eventId: string } {
  const [, id = '', eventId = ''] = decodeTuple(row.key)
  return { id, eventId }
}
