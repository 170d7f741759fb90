import { MAX_REC_BYTES, type StoreLimits } from '@keepsake/core'

/** Bigtable changes one row at a time under a condition, so a call of several rows is as many requests, side by side. */
export const bigtableLimits: StoreLimits = Object.freeze({
  maxRecBytes: MAX_REC_BYTES,
  maxBatchRows: 1,
  atomicBatch: false,
})
