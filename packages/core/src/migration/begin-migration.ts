import type { Clock } from '../clock.ts'
import { KeepsakeError } from '../errors.ts'
import type { MigrationEvent } from './migrate-rows.ts'
import { createMark, findMark, migrationMark, type MarkKeeper } from './migration-mark.ts'
import type { RowStore } from '../rows/row-store.ts'
import { walkEntities, walkRows } from './walk-rows.ts'

export interface BeginOptions {
  sourceId: string
  clock: Clock
  onEvent: (event: MigrationEvent) => void
  signal: AbortSignal | undefined
}

/**
 * Goes on with the migration that the target is marked for, or begins one: checks both stores and every record's size,
 * then marks the target. Whatever it refuses, nothing was written.
 */
export async function beginMigration(source: RowStore, target: RowStore, options: BeginOptions): Promise<MarkKeeper> {
  const { sourceId, clock, onEvent, signal } = options
  const call = signal && { signal }
  if (source === target) throw sameStore()
  await refuseMarked(source, signal)
  const begun = await findMark(target, clock, call)
  if (begun !== undefined) {
    if (begun.mark.source !== sourceId) throw anotherSource()
    return begun
  }
  if ((await target.entities({ limit: 1 }, call)).length > 0) throw notEmpty()
  const rows = await checkSizes(source, target.limits.maxRecBytes, onEvent, signal)
  const mark = { source: sourceId, startedAtMs: clock.nowMs(), rows, pass: 1, done: 0 }
  const keeper = await createMark(target, clock, mark, call)
  try {
    // Two addresses may lead to one store, which shows now; so does a migration the other way, begun at the same time.
    await refuseMarked(source, signal)
  } catch (error) {
    await keeper.remove()
    throw error
  }
  return keeper
}

async function refuseMarked(source: RowStore, signal: AbortSignal | undefined): Promise<void> {
  const mark = await migrationMark(source, signal && { signal })
  if (mark === undefined) return
  throw refused(
    'The source is the target of a migration: it is not complete. Finish that one first. If none is under way, source and target are the same store under two addresses.',
  )
}

async function checkSizes(
  source: RowStore,
  maxBytes: number,
  onEvent: (event: MigrationEvent) => void,
  signal: AbortSignal | undefined,
): Promise<number> {
  let rows = 0
  let tooLarge = 0
  let largestBytes = 0
  for await (const entity of walkEntities(source, { signal })) {
    for await (const { key, rec } of walkRows(source, entity, { signal })) {
      if (++rows % 1000 === 0) onEvent({ type: 'progress', step: 'check', pass: 0, rows })
      if (rec.length <= maxBytes) continue
      tooLarge++
      largestBytes = Math.max(largestBytes, rec.length)
      onEvent({ type: 'too-large', entity, key, bytes: rec.length })
    }
  }
  if (tooLarge === 0) return rows
  throw new KeepsakeError(
    'too_large',
    `${tooLarge} of the source's ${rows} records ${tooLarge === 1 ? 'is' : 'are'} larger than the ${maxBytes} bytes that the target takes; the largest has ${largestBytes}. Nothing was written.`,
    { details: { records: tooLarge, largestBytes, maxBytes } },
  )
}

function sameStore(): KeepsakeError {
  return refused('Source and target are the same store.')
}

function anotherSource(): KeepsakeError {
  return refused(
    'The target is marked for a migration from another source. Go on with that one, by the address that it was begun with, or empty the target.',
  )
}

function notEmpty(): KeepsakeError {
  return refused(
    'The target has rows, and is not marked for a migration: rows are moved into an empty store only. If these were moved there before, the migration is finished: `keepsake migrate --verify`, or compareStores, says whether they are the same. To merge two stores, export one and import it into the other.',
  )
}

function refused(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', message)
}
