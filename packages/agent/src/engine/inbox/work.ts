import { KeepsakeError } from '@keepsake/core'
import { activate, type StoredOutcome } from '../activate.ts'
import { rowEntity } from '../entity.ts'
import { sweep } from '../expiry/sweep.ts'
import type { Ground } from '../ground.ts'
import { INBOX, inboxKey, readInboxItem } from '../rows/inbox.ts'
import { READY, readReady, readyKey, shardOf, shardsOf, type Ready } from '../rows/shard.ts'
import { scanRows } from '../store-calls.ts'

const PAGE_ROWS = 100
const IDLE_MS = 100
const MAX_IDLE_MS = 2_000
const FIRST_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 30_000
const SWEEP_EVERY_MS = 10_000

/** Works what is submitted or unfinished, and expires what has had its time, until the signal fires. */
export async function workUntil(ground: Ground, signal: AbortSignal, concurrency: number): Promise<void> {
  const { seams, options } = ground
  let sweptMs = -Infinity
  let idleMs = IDLE_MS
  while (!signal.aborted) {
    const worked = await workRound(ground, { signal, concurrency })
    if (options.ttlMs !== undefined && seams.monotonicMs() - sweptMs >= SWEEP_EVERY_MS && !signal.aborted) {
      sweptMs = seams.monotonicMs()
      await sweep(ground).catch(() => undefined)
    }
    idleMs = worked ? IDLE_MS : Math.min(idleMs * 2, MAX_IDLE_MS)
    if (!worked && !signal.aborted) await ground.woken(idleMs, signal)
  }
}

interface Round {
  signal: AbortSignal
  concurrency: number
}

/** Looks through all shards once. Returns whether anything was done. */
async function workRound(ground: Ground, { signal, concurrency }: Round): Promise<boolean> {
  const under = new Map<string, Promise<void>>()
  /** Rows that were removed since they were scanned. */
  const gone = new Set<string>()
  let worked = false
  for (const shard of shardsOf(ground.options.kind)) {
    try {
      for await (const row of scanRows(ground.store, shard, READY, { pageRows: PAGE_ROWS })) {
        if (signal.aborted) break
        const ready = readReady(row)
        if (gone.has(row.key) || under.has(ready.id) || isHeld(ground, ready.id)) continue
        const done = workEntity(ground, ready, gone, signal)
          .then((did) => void (worked ||= did))
          .finally(() => under.delete(ready.id))
        under.set(ready.id, done)
        if (under.size >= concurrency) await Promise.race(under.values())
      }
    } catch (error) {
      // A store that cannot be read now is read again in the next round.
      if (!KeepsakeError.isInstance(error) || !error.retryable) {
        await Promise.allSettled(under.values())
        throw error
      }
    }
  }
  await Promise.all(under.values())
  return worked
}

/** Works the inbox of an entity that a shard names, oldest first, until something holds it up. Whether anything was done. */
async function workEntity(ground: Ground, ready: Ready, gone: Set<string>, signal: AbortSignal): Promise<boolean> {
  const { store, options } = ground
  const { id } = ready
  const entity = rowEntity(options.kind, id)
  let worked = false
  try {
    const [item] = await store.load([{ entity, key: inboxKey(ready.n, ready.eventId) }])
    if (item === undefined) {
      await store.remove([ready.row])
      return true
    }
    while (!signal.aborted) {
      const [oldest] = await store.scan(entity, { prefix: INBOX, limit: 1 })
      if (oldest === undefined) break
      const { row, n, eventId, event } = readInboxItem(oldest)
      if (event !== undefined && !isDone(await activate(ground, { id, entity, event, signal: undefined }))) {
        hold(ground, id)
        return worked
      }
      // The event is committed or a dead letter, or nobody can read it: only then it goes, and after it what names it.
      await store.remove([{ entity, key: row.key, seq: row.seq }])
      const key = readyKey(n, id, eventId)
      await store.remove([{ entity: shardOf(options.kind, id), key, seq: n }])
      gone.add(key)
      worked = true
      ground.held.delete(id)
    }
  } catch {
    // Whatever it is, it holds up this entity and no other.
    hold(ground, id)
  }
  return worked
}

function isDone({ status }: StoredOutcome): boolean {
  return status === 'completed' || status === 'failed'
}

function isHeld({ seams, held }: Ground, id: string): boolean {
  const until = held.get(id)?.untilMs
  return until !== undefined && seams.monotonicMs() < until
}

function hold(ground: Ground, id: string): void {
  const { seams, held } = ground
  const waitMs = Math.min((held.get(id)?.waitMs ?? FIRST_BACKOFF_MS / 2) * 2, MAX_BACKOFF_MS)
  ground.remember(held, id, { untilMs: seams.monotonicMs() + waitMs, waitMs })
}
