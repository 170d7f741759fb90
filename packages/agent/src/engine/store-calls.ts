import {
  KeepsakeError,
  type CallOptions,
  type Row,
  type RowStore,
  type RowWrite,
  type WriteResult,
} from '@keepsake/core'
import type { Ground } from './ground.ts'
import { sleep } from './seams.ts'

const ATTEMPTS = 3
const WAIT_MS = 20
const SCAN_ROWS = 500

/** Writes rows; without an answer the same bytes are sent again, up to three times in all. */
export async function writeRows(
  ground: Ground,
  store: RowStore,
  rows: readonly RowWrite[],
  options: CallOptions = {},
): Promise<WriteResult[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.write(rows, options)
    } catch (error) {
      if (attempt === ATTEMPTS || !KeepsakeError.isInstance(error) || !error.retryable) throw error
      await sleep(ground.seams, WAIT_MS * attempt, options.signal)
    }
  }
}

/**
 * Writes rows of one entity of which the last is the one that counts: in one call where a call lands whole, else the last one
 * after the others were answered.
 */
export async function writeInOrder(ground: Ground, rows: readonly RowWrite[]): Promise<WriteResult[]> {
  const { store } = ground
  const { atomicBatch, maxBatchRows } = store.limits
  if (rows.length === 1 || (atomicBatch && rows.length <= maxBatchRows)) return writeRows(ground, store, rows)
  const first = await writeRows(ground, store, rows.slice(0, -1))
  return [...first, ...(await writeRows(ground, store, rows.slice(-1)))]
}

/** Rows of an entity in the order of their keys, read page by page as they are used: `pageRows` (500) first, then more. */
export async function* scanRows(
  store: RowStore,
  entity: string,
  prefix: string,
  options: { pageRows?: number; after?: string } = {},
): AsyncGenerator<Row> {
  let { after, pageRows = SCAN_ROWS } = options
  for (;;) {
    const page = await store.scan(entity, { prefix, limit: pageRows, ...(after !== undefined && { after }) })
    yield* page
    if (page.length < pageRows) return
    after = page.at(-1)!.key
    pageRows = Math.min(pageRows * 4, SCAN_ROWS)
  }
}
