import { descending, type Key, type Records } from '@keepsake/core'
import type { PrepareContext } from '../prepare.ts'

/** A summary of the beginning of a thread. */
export interface ThreadSummary {
  type: 'thread_summary'
  text: string
  /** How many of the thread's messages it stands for, system messages left out. */
  messageCount: number
  /** What those messages are: an id over theirs. If one of them is removed it no longer holds, and is not used. */
  messagesId: string
  /** The summary that was merged into this one, if any: its `messagesId`. */
  previousId?: string | undefined
  /** What of it came from untrusted content: whoever reads it has read that. */
  untrusted?: readonly string[]
}

/** Where summaries are kept: of a thread the newest, and the writing of a new one. */
export interface ThreadSummaries {
  newest(context: PrepareContext): Promise<ThreadSummary[]>
  /** Stores it; gives the one that was there first, so that all go on with the same. */
  add(summary: ThreadSummary, sources: readonly string[], context: PrepareContext): Promise<ThreadSummary>
  clear(threadId: string, context: PrepareContext): Promise<void>
}

/** More than one is looked at where messages were removed: an older summary may still hold. */
const MOST_READ = 5

/** Summaries as records: one for each, never changed, so that each names what it was made of. */
export function storedSummaries(
  recordsOf: (context: PrepareContext) => Records<ThreadSummary> | undefined,
  prefix: Key,
  fallback: ThreadSummaries,
): ThreadSummaries {
  return {
    async newest(context) {
      const records = recordsOf(context)
      if (records === undefined || context.threadId === undefined) return fallback.newest(context)
      const { items } = await records.list([...prefix, context.threadId], { limit: MOST_READ, signal: context.signal })
      return items.map(({ value }) => value)
    },
    async add(summary, sources, context) {
      const records = recordsOf(context)
      const { threadId, signal } = context
      if (records === undefined || threadId === undefined) return fallback.add(summary, sources, context)
      const key = [...prefix, threadId, descending(summary.messageCount), summary.messagesId]
      const options = { ifVersion: null, index: false, sources, signal } as const
      if ((await records.put(key, summary, options)) !== undefined) return summary
      return (await records.get(key, { signal }))?.value ?? summary
    },
    async clear(threadId, context) {
      await fallback.clear(threadId, context)
      await recordsOf({ ...context, threadId })?.deleteAll([...prefix, threadId], { signal: context.signal })
    },
  }
}

const MOST_THREADS = 1_000

/** Summaries of this process, of the threads that were used last. */
export function processSummaries(): ThreadSummaries {
  const threads = new Map<string, ThreadSummary[]>()
  return {
    async newest(context) {
      return threads.get(threadKey(context)) ?? []
    },
    async add(summary, _sources, context) {
      const key = threadKey(context)
      const known = [summary, ...(threads.get(key) ?? [])].slice(0, MOST_READ)
      threads.delete(key)
      threads.set(key, known)
      for (const oldest of threads.keys()) {
        if (threads.size <= MOST_THREADS) break
        threads.delete(oldest)
      }
      return summary
    },
    async clear(threadId) {
      for (const key of threads.keys()) {
        if ((JSON.parse(key) as unknown[])[1] === threadId) threads.delete(key)
      }
    },
  }
}

/** Names a thread of an owner. */
export function threadKey({ owner, threadId }: PrepareContext): string {
  return JSON.stringify([owner ?? null, threadId ?? null])
}
