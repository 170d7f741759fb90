import { records, systemClock, type CallOptions, type Clock, type Owner, type RowStore } from '@keepsake/core'

export interface FileReads {
  /** How many conversations were shown the file, in full. */
  count: number
  /** Unix milliseconds. */
  lastReadAtMs: number
}

/** How often memory files are read, kept in rows beside them. What nobody reads may be archived. */
export interface MemoryReads {
  /** Counts one read of each file. Never fails for a file that is gone. */
  add(paths: readonly string[], options?: CallOptions): Promise<void>
  /** Of files that were ever read. */
  get(options?: CallOptions): Promise<Map<string, FileReads>>
}

/**
 * Counts reads in any store, as records of the owner in a key space of its own, so that erasing the owner erases them.
 * Costs one read and one write a file and conversation.
 */
export function memoryReads(store: RowStore, owner: Owner, options: { clock?: Clock } = {}): MemoryReads {
  const clock = options.clock ?? systemClock()
  const counts = records<FileReads & Record<string, number>>(store, owner, { area: 'fr', clock })
  return {
    async add(paths, callOptions = {}) {
      const lastReadAtMs = clock.nowMs()
      await Promise.all(
        [...new Set(paths)].map((path) =>
          counts.update([path], (reads) => ({ count: (reads?.count ?? 0) + 1, lastReadAtMs }), callOptions),
        ),
      )
    },
    async get(callOptions = {}) {
      const all = new Map<string, FileReads>()
      for await (const { key, value } of counts.list([], { limit: 200, ...callOptions })) {
        all.set(key[0]!, { count: value.count, lastReadAtMs: value.lastReadAtMs })
      }
      return all
    },
  }
}
