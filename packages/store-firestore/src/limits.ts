import { MAX_REC_BYTES, type StoreLimits } from '@keepsake/core'

/** A call of several rows is cut into commits of this many, which are conditional and may have to be taken apart. */
export const firestoreLimits: StoreLimits = Object.freeze({
  maxRecBytes: MAX_REC_BYTES,
  maxBatchRows: 100,
  atomicBatch: false,
})

/**
 * How much of a record one document holds. A document has at most 1,048,576 bytes, of which the names of collections, the
 * key and the other fields take at most 6,000 (https://cloud.google.com/firestore/docs/storage-size).
 */
export const PART_BYTES = 1_000_000

/**
 * How many bytes of records share a commit; one that is larger goes by itself. Firestore takes requests of up to 10 MiB
 * (https://cloud.google.com/firestore/quotas), Google's emulator of up to 4 MiB.
 */
export const COMMIT_BYTES = 3_500_000
