import { describeType, KeepsakeError, type CallOptions, type Entry, type Key, type Records } from '@keepsake/core'
import { checkCount } from '../check-count.ts'
import { contentId } from '../content-id.ts'
import { searchApproved } from '../recall/search-approved.ts'

/** How a task went. */
export type EpisodeOutcome = 'success' | 'partial' | 'failure'

/** A task that was done once: what it was, how it was done, how it went, and what to do better. */
export interface Episode {
  task: string
  approach: string
  outcome: EpisodeOutcome
  lessons: string
  toolsUsed: readonly string[]
  /** When it ended, in Unix milliseconds. */
  atMs: number
}

/** An episode as it is stored: `content` is what is searched and shown. */
export type StoredEpisode = Episode & { content: string }

/** The episodes of an owner. */
export interface Episodes {
  /**
   * Stores an episode: under `id`, such as that of its run, or else under what it says, so that a repeat stores nothing.
   * Throws `invalid_value` for what is no episode.
   */
  record(episode: Episode, options?: CallOptions & { id?: string; sources?: readonly string[] }): Promise<string[]>
  /** Those that have to do with a task, the most alike first, but those in quarantine. Default 3. */
  recall(task: string, options?: CallOptions & { limit?: number }): Promise<Entry<StoredEpisode>[]>
}

/** Where episodes lie in an owner's records. */
const EPISODES: Key = ['episodes']
const DEFAULT_LIMIT = 3
const OUTCOMES: readonly string[] = ['success', 'partial', 'failure']

/**
 * What happened, so that the next task that is like it goes better. Over an owner's records, which find episodes by their
 * `index`; without one everything is read.
 *
 * ```ts
 * const past = episodes(records(store, 'ada', { index: inProcessIndex() }))
 * await past.record({ task: 'Book a hotel', approach: 'Searched by price', outcome: 'success', lessons: 'Ask for dates first', toolsUsed: ['search'], atMs: Date.now() })
 * ```
 */
// oxlint-disable-next-line typescript/no-explicit-any -- values of any shape may lie beside them
export function episodes(records: Records<any>, options: { prefix?: Key } = {}): Episodes {
  const { prefix = EPISODES } = options
  return {
    async record(episode, { id, sources, signal } = {}) {
      checkEpisode(episode)
      const { task, approach, outcome, lessons, toolsUsed, atMs } = episode
      const own = { task, approach, outcome, lessons, toolsUsed: [...toolsUsed], atMs }
      const key = [...prefix, id ?? (await contentId(own))]
      // The task's words stand in both, and so count twice: it is what the next task is compared with.
      const put = { ifVersion: null, index: ['task', 'content'], signal, ...(sources !== undefined && { sources }) }
      await records.put(key, { ...own, content: episodeText(own) }, put)
      return key
    },
    async recall(task, { limit = DEFAULT_LIMIT, signal } = {}) {
      checkCount('episodes: limit', limit, 1, Number.MAX_SAFE_INTEGER)
      return searchApproved<StoredEpisode>(records, prefix, task, { limit, signal })
    },
  }
}

/** An episode as it is searched and shown. */
export function episodeText({ task, approach, outcome, lessons }: Episode): string {
  return `Task: ${task}\nApproach: ${approach}\nOutcome: ${outcome}\nLessons: ${lessons}`
}

function checkEpisode(episode: Episode): void {
  const { task, approach, lessons, outcome, toolsUsed, atMs } = episode ?? {}
  for (const [name, value] of Object.entries({ task, approach, lessons })) {
    if (typeof value !== 'string') throw wrong(name, 'a text', value)
  }
  if (!OUTCOMES.includes(outcome)) throw wrong('outcome', "'success', 'partial' or 'failure'", outcome)
  if (!Array.isArray(toolsUsed) || !toolsUsed.every((tool) => typeof tool === 'string'))
    throw wrong('toolsUsed', 'a list of names', toolsUsed)
  if (!Number.isSafeInteger(atMs)) throw wrong('atMs', 'Unix milliseconds', atMs)
}

function wrong(name: string, wanted: string, value: unknown): KeepsakeError {
  return new KeepsakeError('invalid_value', `An episode's ${name} must be ${wanted}; it is ${describeType(value)}.`)
}
