import { readEntityHead } from '../activate.ts'
import { rowEntity } from '../entity.ts'
import type { Ground } from '../ground.ts'
import { loadBlob } from '../memory/memory-blob.ts'
import { loadMemory } from '../memory/memory-state.ts'
import { failSuspended } from '../resume.ts'
import type { Head, ReadHead } from '../rows/head.ts'
import { dueRow, DUES, readDue, shardsOf, type Due } from '../rows/shard.ts'
import { finishDecided, finishFailed } from '../run/finish.ts'
import { headKeeper } from '../run/head-keeper.ts'
import { scanRows, writeRows } from '../store-calls.ts'
import { flushMemory } from './flush-memory.ts'

const PAGE_ROWS = 100
const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 3_600_000

/** Looks at every entity whose time may be over, and expires those whose is. Returns how many. */
export async function sweep(ground: Ground): Promise<{ expired: number }> {
  const nowMs = ground.clock.nowMs()
  let expired = 0
  for (const shard of shardsOf(ground.options.kind)) {
    for await (const row of scanRows(ground.store, shard, DUES, { pageRows: PAGE_ROWS })) {
      const due = readDue(row)
      if (due.nextMs > nowMs) break
      if (await expireOne(ground, due)) expired++
    }
  }
  return { expired }
}

/** One entity: whatever fails is tried again later, and holds up no other. */
async function expireOne(ground: Ground, due: Due): Promise<boolean> {
  try {
    return await expire(ground, due)
  } catch {
    ground.options.count('keepsake.expiry.failed', 1)
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(due.failures, 20), MAX_RETRY_MS)
    const later = { nextMs: ground.clock.nowMs() + waitMs, dueMs: due.dueMs, failures: due.failures + 1 }
    await refile(ground, due, later).catch(() => undefined)
    return false
  }
}

async function expire(ground: Ground, due: Due): Promise<boolean> {
  const { clock, options, store } = ground
  const { id } = due
  const entity = rowEntity(options.kind, id)
  const nowMs = clock.nowMs()
  const read = await readEntityHead(ground, entity)
  const { head } = read
  const { active } = head
  if (head.erased || (active === undefined && head.memory === undefined)) {
    // Nothing to expire: one that is to come files a row of its own.
    if (head.due && !head.erased && !(await withoutDue(ground, entity, read))) return false
    await store.remove([due.row])
    return false
  }
  const ttlMs = options.ttlMs ?? 0
  const endsAtMs = idleSince(head) + ttlMs
  if (options.ttlMs === undefined || endsAtMs > nowMs) {
    const nextMs = options.ttlMs === undefined ? nowMs + MAX_RETRY_MS : endsAtMs
    await refile(ground, due, { nextMs, dueMs: nextMs, failures: 0 })
    return false
  }
  switch (active?.status) {
    case undefined:
      return wipe(ground, due, entity, read)
    case 'suspended': {
      const message = `The event was suspended at a question for longer than ttlMs (${ttlMs} ms) and its memory expired.`
      const failure = { kind: 'ttl_wiped_suspension' as const, code: 'run_failed', message }
      await failSuspended(ground, id, entity, read, failure)
      // Its working memory is next.
      await refile(ground, due, { nextMs: nowMs, dueMs: due.dueMs, failures: 0 })
      return false
    }
    case 'decided':
      await finishDecided(ground, headKeeper(ground, entity, read))
      break
    case 'failed':
      await finishFailed(ground, id, headKeeper(ground, entity, read))
      break
    case 'running':
      break
    default:
      throw new TypeError('a status that is none')
  }
  await refile(ground, due, { nextMs: nowMs + ttlMs, dueMs: nowMs + ttlMs, failures: 0 })
  return false
}

/** Flushes, where that is wanted, and then wipes. A claim in between wins, and nothing is wiped. */
async function wipe(ground: Ground, due: Due, entity: string, read: ReadHead): Promise<boolean> {
  const { options, store } = ground
  const { head } = read
  const state = await loadMemory(store, entity, head.memory)
  const blob = loadBlob(state.snapshot, state.changes, due.dueMs)
  if (options.onExpire !== undefined && blob.rows.size > 0) {
    const flushed = { id: due.id, blob, committed: head.committed!, dueMs: due.dueMs }
    if (!(await flushMemory(ground, flushed, options.onExpire))) return false
  }
  if (!(await withoutDue(ground, entity, read))) return false
  await store.remove([due.row])
  return head.memory !== undefined
}

/** Moves the head on without working memory and without a due row. */
async function withoutDue(ground: Ground, entity: string, read: ReadHead): Promise<boolean> {
  const keeper = headKeeper(ground, entity, read)
  const moved = await keeper.move(({ memory: _memory, due: _due, ...head }) => head)
  return moved !== undefined
}

/** Files the due row anew, then removes the old one. */
async function refile(ground: Ground, due: Due, next: Pick<Due, 'nextMs' | 'dueMs' | 'failures'>): Promise<void> {
  const { clock, options, store } = ground
  const write = { seq: clock.nextSeq(due.row.seq), nowMs: clock.nowMs() }
  const row = dueRow(options.kind, { id: due.id, ...next }, write)
  await writeRows(ground, store, [row])
  if (row.key !== due.row.key) await store.remove([due.row])
}

function idleSince({ committed, active }: Head): number {
  return Math.max(committed?.atMs ?? 0, active?.nowMs ?? 0)
}
