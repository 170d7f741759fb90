import type { JSONValue } from '@ai-sdk/provider'
import { KeepsakeError, ownerEntity, records, type Clock, type Key, type Records } from '@keepsake/core'
import { refuse } from '../../options/refuse.ts'
import { blobStore } from './blob-store.ts'
import type { MemoryBounds } from './compactor.ts'
import type { MemoryBlob } from './memory-blob.ts'

/** Records with lists. */
export interface WorkingMemory extends Records<JSONValue> {
  /** Adds an item to the end of the list that this entry holds; the first makes it. */
  append(key: Key, item: JSONValue): Promise<void>
  /** The same, and only the newest `size` items stay. */
  ring(key: Key, item: JSONValue, options: { size: number }): Promise<void>
}

export interface WorkingMemoryOptions {
  /** The entity's id: the owner of the records. */
  id: string
  nowMs: number
  bounds: MemoryBounds
  /** Whether keys of the engine's own are refused. */
  reserved: boolean
}

/** The working memory of one activation: what is written shows at once, and counts when the activation commits. */
export function workingMemory(blob: MemoryBlob, { id, nowMs, bounds, reserved }: WorkingMemoryOptions): WorkingMemory {
  // Everything is decided by what is replayed: the time is the activation's and versions are counted.
  const clock: Clock = {
    nowMs: () => nowMs,
    nextSeq: (after = 0) => (blob.tick = Math.max(blob.tick, after) + 1),
    newId: () => 'm',
  }
  const entries = records(blobStore(blob, ownerEntity(id), bounds, reserved), id, { clock })

  async function push(key: Key, item: JSONValue, size: number): Promise<void> {
    await entries.update(key, (value = []) => {
      if (!Array.isArray(value)) {
        throw new KeepsakeError(
          'invalid_value',
          'append and ring add to a list; this entry holds something else. Take another key, or delete it first.',
        )
      }
      return [...value, item].slice(-size)
    })
  }

  return {
    ...entries,
    append: (key, item) => push(key, item, Infinity),
    async ring(key, item, options) {
      const size: unknown = options?.size
      if (!Number.isSafeInteger(size) || (size as number) < 1) throw refuse('size', 'a whole number from 1', size)
      await push(key, item, size as number)
    },
  }
}
