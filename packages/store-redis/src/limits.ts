import { MAX_REC_BYTES, type StoreLimits } from '@keepsake/core'

/** A batch of 100 of the largest rows stays well below the 1 GB that Redis takes from a client at once. */
export const redisLimits: StoreLimits = Object.freeze({
  maxRecBytes: MAX_REC_BYTES,
  maxBatchRows: 100,
  atomicBatch: true,
})
