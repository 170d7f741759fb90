import { decodeTuple, KeepsakeError } from '@keepsake/core'
import { checkNames, refuse } from '../../options/refuse.ts'
import { entryBytes, type MemoryBlob } from './memory-blob.ts'

/** The most that the working memory of one entity may take, in bytes as stored. */
export const MEMORY_HARD_CAP_BYTES = 1_048_576
/** From here on a write makes room first. */
export const MEMORY_SOFT_CAP_BYTES = 786_432
/** Down to this. */
const TARGET_BYTES = 524_288
/** Keys that are the engine's and its adapters' own. */
export const RESERVED_PREFIX = '__keepsake__/'

/** Something that keeps working memory within its bounds: made by `dropOldestCompactor` or `summarizeCompactor`. */
export interface Compactor {
  readonly name: string
}

/** Which keys to evict so that `bytes` become few enough. Pure: a replay evicts the same. */
export interface Evictor extends Compactor {
  readonly name: 'drop_oldest'
  evict(blob: MemoryBlob, bytes: number, keep: string): string[]
}

/** A key as prefixes are matched against it: its segments joined by `/`. */
export function pathOfKey(rowKey: string): string {
  return decodeTuple(rowKey).slice(1).join('/')
}

/**
 * Makes room by evicting what was used least recently, down to `targetBytes` (524,288), never a key that begins with one
 * of `protectedPrefixes` (`['__keepsake__/']`; segments are joined by `/`). It runs inside the write that would pass
 * 786,432 bytes; with a summarizer only where 1,048,576 would be passed. A handler may therefore find that something it
 * wrote before is gone.
 */
export function dropOldestCompactor(
  options: { targetBytes?: number; protectedPrefixes?: readonly string[] } = {},
): Compactor {
  checkNames('dropOldestCompactor', options, ['targetBytes', 'protectedPrefixes'])
  const { targetBytes = TARGET_BYTES, protectedPrefixes = [] } = options
  if (!Number.isSafeInteger(targetBytes) || targetBytes < 0 || targetBytes > MEMORY_SOFT_CAP_BYTES) {
    throw refuse('targetBytes', `a whole number of bytes from 0 to ${MEMORY_SOFT_CAP_BYTES}`, targetBytes)
  }
  if (!Array.isArray(protectedPrefixes) || !protectedPrefixes.every((prefix) => typeof prefix === 'string')) {
    throw refuse('protectedPrefixes', "a list of texts, such as ['plan/']", protectedPrefixes)
  }
  const kept = [RESERVED_PREFIX, ...protectedPrefixes]
  const evictor: Evictor = {
    name: 'drop_oldest',
    evict(blob, bytes, keep) {
      const oldest = [...blob.rows].toSorted(([, a], [, b]) => a[4] - b[4])
      const evicted: string[] = []
      let left = bytes
      for (const [key, [, rec]] of oldest) {
        if (left <= targetBytes) break
        if (key === keep || kept.some((prefix) => pathOfKey(key).startsWith(prefix))) continue
        evicted.push(key)
        left -= entryBytes(key, rec)
      }
      return evicted
    },
  }
  return evictor
}

/** What bounds the working memory of an engine. */
export interface MemoryBounds {
  /** `undefined`: a write that does not fit is refused. */
  evictor: Evictor | undefined
  /** From which size on a write evicts. */
  evictFromBytes: number
}

/**
 * The keys to evict so that the entry `key` may become `bytes` long. Throws `too_large` where it cannot, and then nothing is
 * evicted.
 */
export function makeRoom(blob: MemoryBlob, key: string, bytes: number, bounds: MemoryBounds): string[] {
  const before = blob.rows.get(key)
  const after = blob.bytes - (before === undefined ? 0 : entryBytes(key, before[1])) + bytes
  if (after <= bounds.evictFromBytes) return []
  const evicted = bounds.evictor?.evict(blob, after, key) ?? []
  const left = evicted.reduce((sum, each) => sum - entryBytes(each, blob.rows.get(each)![1]), after)
  if (left <= MEMORY_HARD_CAP_BYTES) return evicted
  throw new KeepsakeError(
    'too_large',
    `Working memory would have ${left} bytes; at most ${MEMORY_HARD_CAP_BYTES} fit (MemoryOverflow). Delete entries, keep less in lists with ring(), or keep large content in longterm. Nothing was written.`,
    { details: { reason: 'memory_overflow', bytes: left, maxBytes: MEMORY_HARD_CAP_BYTES, usedBytes: blob.bytes } },
  )
}
