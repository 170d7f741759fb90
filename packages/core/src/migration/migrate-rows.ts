import { beginMigration } from './begin-migration.ts'
import { systemClock, type Clock } from '../clock.ts'
import { copyPass } from './copy-pass.ts'
import { KeepsakeError } from '../errors.ts'
import { describeType } from '../rows/keys.ts'
import { MIGRATION_ENTITY, type MarkKeeper } from './migration-mark.ts'
import type { CallOptions, RowStore } from '../rows/row-store.ts'

export interface MigrateOptions extends CallOptions {
  /**
   * What tells the source from every other store, such as a hash of its address without user and password. The target
   * keeps it, and takes rows from no other source until the migration is finished.
   */
  sourceId: string
  /** Whether all writers have stopped and the target is to become what the source is. Default `false`. */
  final?: boolean
  /** Default: the machine's. */
  clock?: Clock
  onEvent?: (event: MigrationEvent) => void
}

export type MigrationEvent =
  | {
      type: 'progress'
      /** First all records are checked, then copied in passes. */
      step: 'check' | 'copy' | 'final'
      /** Counts from 1; 0 while records are checked. */
      pass: number
      /** Rows that this step has been through. */
      rows: number
      /** Rows that the source had when the migration began; left out while they are counted. */
      total?: number
    }
  /** A record that the target does not take. When all are found the migration is refused. */
  | { type: 'too-large'; entity: string; key: string; bytes: number }

/** What one call of {@link migrateRows} did. */
export interface MigrationResult {
  /** Times that the source was read through; the first may have been begun by an earlier call. */
  passes: number
  copied: number
  removed: number
  /** What the last pass found newer in the source; 0 where the target had all of it. */
  newer: number
}

/**
 * Copies whole rows (versions, records, both times, tombstones too) from one store into an empty other one, while both
 * may go on being read and the source being written.
 *
 * - **Passes.** Each reads both stores through, side by side, and copies what is missing or older in the target, with guard
 *   `monotonic`. There are passes until one finds nothing newer, or no less than the one before: then writers are at work,
 *   and more passes would not end. What was removed from the source stays in the target.
 * - **`final`**, when nobody writes to the source any more: one pass more also removes what the source no longer has; if it
 *   found anything, another one makes sure. If that finds something too, somebody is still writing: `conflict`, and the
 *   migration stays unfinished.
 * - **Interrupted** in any way, the same call goes on from where the last one was: the target keeps a mark
 *   (see {@link migrationMark}) until the final pass is done. Only that pass begins again.
 *
 * Refused before anything is written: `invalid_value` for a target that has rows of its own or is marked for another
 * source, for a source that is a marked target, and for a store and itself; `too_large`, after an event for each, if the
 * source has records that the target does not take. Throws `conflict` if another process moves rows into the same target,
 * and what the stores throw.
 *
 * Costs a read of the source to check it, and for each pass a read of both stores and a batch of writes per 500 rows that
 * differ. Holds two pages in memory.
 */
export async function migrateRows(
  source: RowStore,
  target: RowStore,
  options: MigrateOptions,
): Promise<MigrationResult> {
  const { sourceId, final = false, clock = systemClock(), onEvent = () => {}, signal } = options
  if (typeof sourceId !== 'string' || sourceId === '') {
    const shown = sourceId === '' ? 'empty' : describeType(sourceId)
    throw new KeepsakeError('invalid_value', `sourceId must be a text that names the source; it is ${shown}.`)
  }
  const keeper = await beginMigration(source, target, { sourceId, clock, onEvent, signal })
  const result: MigrationResult = { passes: 0, copied: 0, removed: 0, newer: 0 }

  async function pass(step: 'copy' | 'final'): Promise<number> {
    // A final pass that was interrupted begins again: writers may have been started since.
    const { after: last, done: doneBefore, ...mark } = keeper.mark
    const [after, done] = step === 'copy' ? [last, doneBefore] : [undefined, 0]
    const passed = await copyPass(source, target, {
      clock,
      after,
      exact: step === 'final',
      signal,
      onProgress(rows) {
        onEvent({ type: 'progress', step, pass: mark.pass, rows: done + rows, total: mark.rows })
      },
      async onReached(row, rows) {
        if (step === 'copy') await keeper.save({ ...mark, done: done + rows, after: row })
      },
    })
    await keeper.save({ ...mark, pass: mark.pass + 1, done: 0 })
    result.passes++
    result.copied += passed.copied
    result.removed += passed.removed
    result.newer = passed.differences
    return passed.differences
  }

  if (!final) await untilSettled(keeper, () => pass('copy'))
  else {
    if (keeper.mark.pass === 1) await pass('copy')
    await refuseToEmpty(source, target, signal)
    // The second pass finds nothing, as the first has repaired all, unless somebody still writes.
    if ((await pass('final')) > 0 && (await pass('final')) > 0) throw stillWriting()
    await keeper.remove()
  }
  return result
}

async function untilSettled(keeper: MarkKeeper, pass: () => Promise<number>): Promise<void> {
  let before = Infinity
  for (;;) {
    const isWhole = keeper.mark.after === undefined
    const found = await pass()
    // What was read before an interruption may have changed since.
    if (!isWhole) continue
    if (found === 0 || found >= before) return
    before = found
  }
}

/** A source that has lost all its rows is more likely the wrong one than one that everything was removed from. */
async function refuseToEmpty(source: RowStore, target: RowStore, signal: AbortSignal | undefined): Promise<void> {
  const call = signal && { signal }
  if ((await source.entities({ limit: 1 }, call)).length > 0) return
  const there = await target.entities({ limit: 2 }, call)
  if (there.every((entity) => entity === MIGRATION_ENTITY)) return
  throw new KeepsakeError(
    'invalid_value',
    'The source has no rows any more, and the target has some: a final pass would remove them all. Nothing was removed. If that is what you want, empty the target yourself.',
  )
}

function stillWriting(): KeepsakeError {
  return new KeepsakeError(
    'conflict',
    'The source or the target was written to during the final passes. Stop all who write, then repeat it: the migration is not finished.',
  )
}
