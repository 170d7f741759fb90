import { decodeTuple, KeepsakeError, threadEntity, type RowId } from '@keepsake/core'
import { readEntityHead } from '../engine/activate.ts'
import type { Ground } from '../engine/ground.ts'
import type { Head } from '../engine/rows/head.ts'
import { finishFailed } from '../engine/run/finish.ts'
import { headKeeper } from '../engine/run/head-keeper.ts'
import { scanRows } from '../engine/store-calls.ts'
import type { AgentRuns } from './agent-runs.ts'

/** Rows of runs: commits, snapshots, journals, events that were committed, and dead letters. */
const AREAS = new Set(['c', 'w', 'j', 'e', 'd'])

export function wasDeleted(): KeepsakeError {
  return new KeepsakeError('conflict', 'The thread was deleted while this run was under way. Nothing of it is stored.')
}

/** Whether a run failed because its thread was deleted. A failure is stored as its code and its text alone. */
export function isDeletion({ code, message }: { code: string; message: string }): boolean {
  const deleted = wasDeleted()
  return code === deleted.code && message === deleted.message
}

/**
 * Forgets everything of a thread's runs but that there were some. A run that is under way fails: what is left of it is a
 * dead letter without content, so that it is not begun again.
 */
export async function forgetRuns({ ground }: AgentRuns, threadId: string): Promise<void> {
  const entity = threadEntity(threadId)
  for (;;) {
    const read = await readEntityHead(ground, entity)
    if (read.version === 0) return
    const { head } = read
    const keeper = headKeeper(ground, entity, read)
    if ((await keeper.move(() => emptied(head))) === undefined) continue
    const failed = head.active?.event.id
    if (failed !== undefined && !(await finishFailed(ground, threadId, keeper))) continue
    return removeRows(ground, entity, (area, id) => area !== 'd' || id !== failed)
  }
}

/** Removes what a run has written that was under way when its thread was deleted. */
export async function forgetLeftovers({ ground }: AgentRuns, threadId: string): Promise<void> {
  await removeRows(ground, threadEntity(threadId), (area) => area !== 'd')
}

async function removeRows(
  { store }: Ground,
  entity: string,
  isGone: (area: string, id: string | undefined) => boolean,
): Promise<void> {
  const gone: RowId[] = []
  for await (const { key } of scanRows(store, entity, '')) {
    const [area = '', id] = decodeTuple(key)
    if (AREAS.has(area) && isGone(area, id)) gone.push({ entity, key })
  }
  if (gone.length > 0) await store.remove(gone)
}

/** The head of a thread that has nothing; what was active has failed. */
function emptied({ lastS, active }: Head): Head {
  const { message, code } = wasDeleted()
  const s = Math.max(lastS, active?.s ?? 0)
  const none = { lastS: s, cleanS: s }
  if (active === undefined) return none
  const { question: _question, ...rest } = active
  const failure = { kind: 'abandoned', code, message } as const
  return { ...none, active: { ...rest, event: { id: active.event.id, data: null }, status: 'failed', failure } }
}
