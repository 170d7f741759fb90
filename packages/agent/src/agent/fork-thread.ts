import { KeepsakeError, threadEntity, type CallOptions } from '@keepsake/core'
import { readEntityHead } from '../engine/activate.ts'
import { headKeeper } from '../engine/run/head-keeper.ts'
import { refuse } from '../options/refuse.ts'
import type { AgentRuns } from './agent-runs.ts'
import { findCheckpoint } from './checkpoints.ts'

/** Copies a thread up to a checkpoint into a new one: its rows first, its heads last, so that it is there whole or not at all. */
export async function forkThread(
  runs: AgentRuns,
  threadId: string,
  { at, to, ...options }: CallOptions & { at: string; to: string; owner?: string },
): Promise<void> {
  if (typeof to !== 'string' || to === '') throw refuse('to', 'the id of a new thread', to)
  const place = await findCheckpoint(runs, threadId, at, options)
  const { ground, turns } = runs
  const entity = threadEntity(to)
  await turns!.copy(threadId, place, to, options, async () => {
    const read = await readEntityHead(ground, entity)
    const { s, ep, seq } = place
    const moved =
      read.head.active === undefined &&
      (await headKeeper(ground, entity, read).move(({ lastS, cleanS }) => ({
        lastS: Math.max(lastS, s),
        cleanS,
        said: { s, ep, seq },
      })))
    if (moved) return
    throw new KeepsakeError('conflict', 'A run of the thread `to` is under way. Nothing was forked; take another id.')
  })
}
