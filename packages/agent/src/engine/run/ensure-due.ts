import type { Ground } from '../ground.ts'
import type { Head } from '../rows/head.ts'
import { dueRow } from '../rows/shard.ts'
import { writeRows } from '../store-calls.ts'
import type { HeadKeeper } from './head-keeper.ts'

/**
 * Makes sure that the entity is looked at when its working memory may have expired: before the head says that it has some.
 * Nothing is written where a due row exists; the sweep files that anew at the real time. Returns what the head has to say.
 */
export async function ensureDue(ground: Ground, id: string, keeper: HeadKeeper): Promise<Pick<Head, 'due'>> {
  const { clock, options, store } = ground
  if (options.ttlMs === undefined) return {}
  if (keeper.head.due) return { due: true }
  const nowMs = clock.nowMs()
  const dueMs = nowMs + options.ttlMs
  const row = dueRow(options.kind, { id, nextMs: dueMs, dueMs, failures: 0 }, { seq: clock.nextSeq(), nowMs })
  await writeRows(ground, store, [row])
  return { due: true }
}
