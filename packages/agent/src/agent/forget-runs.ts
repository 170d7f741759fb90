import { decodeTuple, KeepsakeError, threadEntity, type RowId } from '@keepsake/core'
import { readEntityHead } from '../engine/activate.ts'
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

/**
 * Forgets everything of a thread's runs but that there were some. A run that is under way fails: what is left of it is a
 * dead letter without content, so that it is not begun again.
 */
export async function forgetRuns(
  { ground }: AgentRuns,
  threadId: string,
  { onlyRows = false }: { onlyRows?: boolean } = {},
): Promise<void> {
  const { store } = ground
  const entity = threadEntity(threadId)
  let failed: string | undefined
  while (!onlyRows) {
    const read = await readEntityHead(ground, entity)
    if (read.version === 0) return
    const { head } = read
    const keeper = headKeeper(ground, entity, read)
    if (!(await keeper.move(() => emptied(head)))) continue
    failed = head.active?.event.id
    if (failed === undefined || (await finishFailed(ground, threadId, keeper))) break
  }
  const gone: RowId[] = []
  for await (const row of scanRows(store, entity, '')) {
    const [area = '', id] = decodeTuple(row.key)
    if (!AREAS.has(area) || (area === 'd' && (onlyRows || id === failed))) continue
    gone.push({ entity, key: row.key })
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
