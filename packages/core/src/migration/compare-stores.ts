import { systemClock, type Clock } from '../clock.ts'
import { MIGRATION_ENTITY } from './migration-mark.ts'
import { isSameRow, pairRows, type RowPair } from './pair-rows.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'

/** How two stores differ, in rows. */
export interface StoreComparison {
  /** Rows of the source. */
  rows: number
  /** Rows that only the source has. */
  missing: number
  /** Rows that both have, and that are not the same in version, record and times. */
  different: number
  /** Rows that only the target has. */
  extra: number
}

export interface CompareOptions extends CallOptions {
  /** Default: the machine's. */
  clock?: Clock
  /** Called every 1,000 rows with their number so far. */
  onProgress?: (rows: number) => void
}

/**
 * Compares every row of two stores, byte by byte, and changes nothing. What has expired may be gone from either: that is
 * no difference. Reads both stores once, side by side.
 */
export async function compareStores(
  source: RowStore,
  target: RowStore,
  { clock = systemClock(), onProgress, signal }: CompareOptions = {},
): Promise<StoreComparison> {
  const found: StoreComparison = { rows: 0, missing: 0, different: 0, extra: 0 }
  for await (const pair of pairRows(source, target, { signal })) {
    if (pair.entity === MIGRATION_ENTITY) continue
    if (pair.source !== undefined && ++found.rows % 1000 === 0) onProgress?.(found.rows)
    if (isAgreed(pair, clock.nowMs())) continue
    if (pair.target === undefined) found.missing++
    else if (pair.source === undefined) found.extra++
    else found.different++
  }
  return found
}

/** Whether two stores agree on a row. One that has expired may have vanished from either. */
export function isAgreed({ source, target }: RowPair, nowMs: number): boolean {
  if (source !== undefined && target !== undefined) return isSameRow(source, target)
  return isExpired((source ?? target)!, nowMs)
}

function isExpired({ expiresAtMs }: Row, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs
}
