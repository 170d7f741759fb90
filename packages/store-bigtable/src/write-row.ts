import type { protos } from '@google-cloud/bigtable'
import { decideWrite, isSameWrite, type CallOptions, type Row, type RowWrite, type WriteResult } from '@keepsake/core'
import { putMutations, seqOf, toRow } from './cells.ts'
import { onlySeq, seqAbove, seqIs, wholeRow, type RowFilter } from './row-filters.ts'
import { rowKeyOf } from './row-keys.ts'
import type { Change, TableRequests } from './table-requests.ts'

const APPLIED: WriteResult = Object.freeze({ status: 'applied' })
const NOTHING = new Uint8Array()

/**
 * Writes a row under its guard. Bigtable decides and says only whether it wrote. If not, a look at the row tells what it
 * met: this very write, from an attempt whose answer was lost; another row; or one that the guard would take by now, as it
 * changed in between, and then it tries again.
 */
export async function writeRow(requests: TableRequests, write: RowWrite, options?: CallOptions): Promise<WriteResult> {
  const [filter, change] = condition(write, putMutations(write))
  for (;;) {
    const matched = await requests.change(rowKeyOf(write), filter, change, options)
    if (matched === 'onMatch' in change) return APPLIED
    const stored = await storedRow(requests, write, options)
    if (stored !== undefined && isSameWrite(stored, write)) return APPLIED
    const result = decideWrite(stored, write)
    if (result.status === 'stale') return result
  }
}

function condition(
  { guard = 'monotonic', seq }: RowWrite,
  put: readonly protos.google.bigtable.v2.IMutation[],
): [RowFilter, Change] {
  if (guard === 'monotonic') return [seqAbove(seq), { onNoMatch: put }]
  if (guard === 'absent') return [onlySeq, { onNoMatch: put }]
  return [seqIs(guard.seq), { onMatch: put }]
}

/** The stored row, with its record only if the seqs are equal: else it decides nothing and may be large. */
async function storedRow(
  requests: TableRequests,
  write: RowWrite,
  options?: CallOptions,
): Promise<Pick<Row, 'seq' | 'rec'> | undefined> {
  const which = { keys: [rowKeyOf(write)] }
  const [head] = await requests.read(which, onlySeq, options)
  if (head === undefined) return undefined
  const seq = seqOf(head.cells)
  if (seq !== write.seq) return { seq, rec: NOTHING }
  const [whole] = await requests.read(which, wholeRow, options)
  return whole && toRow(write, whole.cells)
}
