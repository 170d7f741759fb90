import type { JSONValue } from '@ai-sdk/provider'
import type { AnyMessage, CallOptions, Key, Records } from '@keepsake/core'

/** How far a thread was consolidated. */
export interface Watermark {
  /** The newest messages that were, oldest first: the last is where sending goes on after. */
  passed: string[]
  /** How many were in all. */
  messageCount: number
  /** What somebody is consolidating. */
  claim?: { ids: string[]; atMs: number }
}

/** A watermark as it is stored: `version` is undefined where there is none. */
export interface StoredWatermark {
  value: Watermark
  version: number | undefined
}

/** More than one is remembered, so that the place is known when messages are removed. */
const MOST_PASSED = 20

/** Watermarks as records, one for each thread, moved by compare-and-set. */
export function watermarks(records: Records<JSONValue>, prefix: Key) {
  const keyOf = (threadId: string): string[] => [...prefix, threadId]
  return {
    async read(threadId: string, options: CallOptions): Promise<StoredWatermark> {
      const entry = await records.get(keyOf(threadId), options)
      const value = entry?.value as unknown as Watermark | undefined
      return { value: value ?? { passed: [], messageCount: 0 }, version: entry?.version }
    },
    /** `undefined` if somebody else moved it meanwhile. */
    async move(
      threadId: string,
      from: StoredWatermark,
      value: Watermark,
      options: CallOptions,
    ): Promise<StoredWatermark | undefined> {
      const put = { ...options, ifVersion: from.version ?? null, index: false } as const
      const entry = await records.put(keyOf(threadId), value as unknown as JSONValue, put)
      return entry === undefined ? undefined : { value, version: entry.version }
    },
  }
}

/** Where the messages after the watermark begin: 0 if none of those before it is there. */
export function firstAfter(messages: readonly AnyMessage[], { passed }: Watermark): number {
  const ids = new Set(passed)
  return messages.findLastIndex(({ id }) => id !== undefined && ids.has(id)) + 1
}

export function passedWith(passed: readonly string[], ids: readonly string[]): string[] {
  return [...passed, ...ids].slice(-MOST_PASSED)
}
