import type { protos } from '@google-cloud/bigtable'
import { FAMILY, uint64 } from './cells.ts'

/** What of a row is read, or has to be there: https://cloud.google.com/bigtable/docs/using-filters */
export type RowFilter = protos.google.bigtable.v2.IRowFilter

const ours: RowFilter = { familyNameRegexFilter: FAMILY }
const newest: RowFilter = { cellsPerColumnLimitFilter: 1 }
// The newest cell is chosen before its value is looked at: an older one must not answer for it.
const seqSteps: readonly RowFilter[] = [ours, { columnQualifierRegexFilter: Buffer.from('seq') }, newest]

export const wholeRow: RowFilter = chain(ours, newest)

export const onlySeq: RowFilter = chain(...seqSteps)

/** The least that shows that a row is there. */
export const onlyKey: RowFilter = chain(ours, { cellsPerRowLimitFilter: 1 }, { stripValueTransformer: true })

export function seqAbove(seq: number): RowFilter {
  return chain(...seqSteps, { valueRangeFilter: { startValueOpen: uint64(seq) } })
}

export function seqIs(seq: number): RowFilter {
  return chain(...seqSteps, { valueRangeFilter: { startValueClosed: uint64(seq), endValueClosed: uint64(seq) } })
}

function chain(...filters: readonly RowFilter[]): RowFilter {
  return { chain: { filters: [...filters] } }
}
