import {
  decodeTuple,
  KeepsakeError,
  writeRegistered,
  type Registration,
  type RowStore,
  type RowWrite,
  type WriteResult,
} from '@keepsake/core'
import type { Ground } from '../ground.ts'
import type { Plan, PlannedRow } from '../rows/commit.ts'
import { writeRows } from '../store-calls.ts'
import type { Staged } from './staged-store.ts'

/**
 * What a decided activation will have written: stamped over what is stored now, and never stamped again. `undefined`: nothing
 * is staged. One read.
 */
export async function makePlan(store: RowStore, entity: string, staged: Staged, s: number): Promise<Plan | undefined> {
  const writes = [...staged.rows.values()]
  if (writes.length === 0) return undefined
  const stored = await store.load(writes.map(({ key }) => ({ entity, key })))
  const rows = writes.map(({ key, rec, updatedAtMs, expiresAtMs }, index): PlannedRow => {
    const was = stored[index]?.seq ?? null
    const seq = Math.max(s, (was ?? -1) + 1)
    return { key, rec, seq, was, updatedAtMs, ...(expiresAtMs !== undefined && { expiresAtMs }) }
  })
  const directories = [...staged.directories].map((directory) => decodeTuple(directory))
  const subjects = directories.filter(([kind]) => kind === 'subject').map(([, ...subject]) => subject)
  const derived = subjects.length < directories.length
  return { entity, subjects, rows, ...(derived && { derived }) }
}

/**
 * Writes what a decided commit plans: every row over what it was stamped from. Repeated, by whomever, it changes nothing: a
 * row that is as new or newer is done, and so is one that was removed since, or whose owner is being erased.
 */
export async function flushPlan(ground: Ground, store: RowStore, plan: Plan): Promise<void> {
  const { entity } = plan
  const rows = plan.rows.map((row) => plannedWrite(entity, row, row.was))
  const results = await writeUnlessErased(ground, store, plan, rows)
  if (results === undefined) return
  for (const [index, row] of plan.rows.entries()) {
    if (results[index]!.status === 'applied') continue
    for (;;) {
      const [stored] = await store.load([{ entity, key: row.key }])
      if (stored === undefined || stored.seq >= row.seq) break
      const [again] = await writeRows(ground, store, [plannedWrite(entity, row, stored.seq)])
      if (again!.status === 'applied') break
    }
  }
}

/** Writes rows into long-term memory. `undefined`: whose they are is being erased, and nothing of them is there. */
export async function writeUnlessErased(
  ground: Ground,
  store: RowStore,
  registration: Registration,
  rows: readonly RowWrite[],
): Promise<WriteResult[] | undefined> {
  try {
    return await writeRegistered(store, registration, rows, ground.clock, {}, (all) => writeRows(ground, store, all))
  } catch (error) {
    if (KeepsakeError.isInstance(error, 'conflict') && error.details['reason'] === 'erasure') return undefined
    throw error
  }
}

function plannedWrite(entity: string, { was: _was, ...row }: PlannedRow, over: number | null): RowWrite {
  return { entity, ...row, guard: over === null ? 'absent' : { seq: over } }
}
