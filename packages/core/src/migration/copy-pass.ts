import type { Clock } from '../clock.ts'
import { isAgreed } from './compare-stores.ts'
import { KeepsakeError } from '../errors.ts'
import { MIGRATION_ENTITY } from './migration-mark.ts'
import { isSameRow, pairRows, type RowPair } from './pair-rows.ts'
import type { CallOptions, Row, RowId, RowStore } from '../rows/row-store.ts'

export interface PassOptions extends CallOptions {
  clock: Clock
  /** The row to begin behind. */
  after?: RowId | undefined
  /** Whether the target becomes what the source is: what it has besides is removed, and what is newer there replaced. */
  exact: boolean
  /** Called with the rows so far, at every batch of writes and at least every 2,000 rows. */
  onProgress: (rows: number) => void
  /** Waited for every 2,000 rows or 64 MB, when all up to this row is in the target. */
  onReached: (row: RowId, rows: number) => Promise<void>
}

export interface PassResult {
  /** Rows of the source that the pass has been through. */
  rows: number
  copied: number
  removed: number
  /** How many rows were not as they should be. Not counted is what has expired, and may be gone from one of the two. */
  differences: number
}

const ROWS_BETWEEN_STOPS = 2000
const BYTES_BETWEEN_STOPS = 64_000_000
const BATCH_ROWS = 500
const BATCH_BYTES = 8_000_000

/** Goes through both stores once, and copies what is missing or older in the target. Never takes a row back. */
export async function copyPass(source: RowStore, target: RowStore, options: PassOptions): Promise<PassResult> {
  const { clock, after, exact, onProgress, onReached, signal } = options
  const call = signal && { signal }
  const result: PassResult = { rows: 0, copied: 0, removed: 0, differences: 0 }
  let writes: Row[] = []
  let removals: (RowId & { seq: number })[] = []
  let batchBytes = 0
  let rowsSinceStop = 0
  let bytesSinceStop = 0

  function plan(pair: RowPair): void {
    if (!isWanted(pair, exact)) return
    if (!isAgreed(pair, clock.nowMs())) result.differences++
    if (pair.target !== undefined && isAhead(pair)) {
      removals.push({ entity: pair.entity, key: pair.key, seq: pair.target.seq })
    }
    if (pair.source === undefined) return
    const bytes = pair.source.rec.length
    if (bytes > target.limits.maxRecBytes) throw tooLarge(bytes, target.limits.maxRecBytes)
    writes.push(pair.source)
    batchBytes += bytes
    bytesSinceStop += bytes
  }

  async function flush(): Promise<void> {
    if (removals.length > 0) result.removed += await target.remove(removals, call)
    if (writes.length > 0) {
      const results = await target.write(writes, call)
      result.copied += results.filter(({ status }) => status === 'applied').length
    }
    writes = []
    removals = []
    batchBytes = 0
  }

  for await (const pair of pairRows(source, target, { after, signal })) {
    if (pair.entity === MIGRATION_ENTITY) continue
    rowsSinceStop++
    if (pair.source !== undefined) result.rows++
    plan(pair)
    const stop = rowsSinceStop >= ROWS_BETWEEN_STOPS || bytesSinceStop >= BYTES_BETWEEN_STOPS
    if (stop || writes.length + removals.length >= BATCH_ROWS || batchBytes >= BATCH_BYTES) {
      await flush()
      onProgress(result.rows)
    }
    if (stop) {
      rowsSinceStop = 0
      bytesSinceStop = 0
      await onReached({ entity: pair.entity, key: pair.key }, result.rows)
    }
  }
  await flush()
  return result
}

/** Whether the pass has something to do for a row. */
function isWanted(pair: RowPair, exact: boolean): boolean {
  const { source, target } = pair
  if (source === undefined) return exact
  if (target === undefined) return true
  return isAhead(pair) ? exact : !isSameRow(source, target)
}

/** The target has a row that its source no longer has: removed there, or removed and made again with a lower version. */
function isAhead({ source, target }: RowPair): boolean {
  return target !== undefined && (source === undefined || target.seq > source.seq)
}

function tooLarge(bytes: number, maxBytes: number): KeepsakeError {
  return new KeepsakeError(
    'too_large',
    `A record that was written since the rows were checked has ${bytes} bytes; the target takes at most ${maxBytes}. What was copied before stays there: remove or split that record, and go on.`,
    { details: { bytes, maxBytes } },
  )
}
