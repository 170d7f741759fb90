import type { Ground } from '../ground.ts'
import { flushPlan } from '../longterm/plan.ts'
import { commitKey, readCommit, type Commit } from '../rows/commit.ts'
import { deadLetterRow } from '../rows/event.ts'
import type { Active, Head } from '../rows/head.ts'
import { damaged } from '../rows/row.ts'
import { deadIndexRow } from '../rows/shard.ts'
import { writeRows } from '../store-calls.ts'
import type { HeadKeeper } from './head-keeper.ts'

/** The head once the commit of its active event counts. */
export function committedHead(head: Head, active: Active, commit: Commit): Head {
  const { active: _active, memory: _memory, ...rest } = head
  const { s, ep, event } = active
  return {
    ...rest,
    committed: { s, ep, eventId: event.id, atMs: commit.atMs },
    lastS: s,
    ...(commit.memory !== undefined && { memory: commit.memory }),
    ...(commit.said !== undefined && { said: { s, ep, seq: commit.said.seq } }),
  }
}

/** Finishes a decided head, whoever decided it: flushes what its commit plans, and then commits. Whether it was ours to do. */
export async function finishDecided(ground: Ground, keeper: HeadKeeper, decided?: Commit): Promise<boolean> {
  const active = keeper.head.active!
  const commit = decided ?? (await loadCommit(ground, keeper.entity, active))
  const { plan } = commit
  if (plan !== undefined) await flushPlan(ground, await ground.longterm(), plan)
  const moved = await keeper.move((head) => committedHead(head, active, commit))
  if (moved !== undefined && plan !== undefined) ground.options.count('keepsake.longterm.upserts', plan.rows.length)
  return moved !== undefined
}

async function loadCommit(ground: Ground, entity: string, ref: { s: number; ep: number }): Promise<Commit> {
  const [row] = await ground.store.load([{ entity, key: commitKey(ref) }])
  if (row === undefined) throw damaged('A commit that the head names is missing')
  return readCommit(row)
}

/** Finishes a failed head, whoever failed it: its dead letter first, then nothing is active. Whether it was ours to do. */
export async function finishFailed(ground: Ground, id: string, keeper: HeadKeeper): Promise<boolean> {
  const { clock, options } = ground
  const { active, committed, memory } = keeper.head
  const { s, ep, nowMs, event, failure } = active!
  const life = { nowMs: clock.nowMs(), expiresAtMs: clock.nowMs() + options.dedupeMs }
  const letter = {
    s,
    ep,
    nowMs,
    event,
    failure: failure!,
    ...(committed !== undefined && { committed: { s: committed.s, ep: committed.ep } }),
    ...(memory !== undefined && { memory: { s: memory.s, ep: memory.ep } }),
  }
  await writeRows(ground, ground.store, [
    deadIndexRow(options.kind, { id, eventId: event.id, s }, life),
    deadLetterRow(keeper.entity, letter, life),
  ])
  const moved = await keeper.move(({ active: _active, ...head }) => ({ ...head, lastS: s }))
  return moved !== undefined
}
