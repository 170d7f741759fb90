import { SEQ_EPOCH_MS, SEQS_PER_MS } from '../clock.ts'

/** The first version after all that are of this millisecond or an earlier one. */
export function seqAt(ms: number): number {
  return Math.max(0, ms + 1 - SEQ_EPOCH_MS) * SEQS_PER_MS
}
