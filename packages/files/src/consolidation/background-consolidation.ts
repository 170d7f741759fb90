import {
  systemClock,
  untrustedSources,
  type CallOptions,
  type ChatMemory,
  type Clock,
  type Message,
  type RowStore,
} from '@keepsake/core'
import type { MemoryToolset } from '../toolset/memory-toolset.ts'
import {
  consolidationMarks,
  markOf,
  messagesAfter,
  type ConsolidationMark,
  type MarkEntry,
} from './consolidation-marks.ts'
import type { ConsolidationResult, MemoryConsolidator } from './memory-consolidator.ts'
import { transcriptOf } from './transcript.ts'

export interface BackgroundConsolidationOptions {
  /** Where the marks of what is done are kept: mostly the store of `chat`. */
  store: RowStore
  chat: ChatMemory<Message>
  consolidator: MemoryConsolidator
  /** A fresh toolset of the owner, made for each batch of messages. */
  toolset: (owner: string) => MemoryToolset
  /** Files that may be changed in every conversation. Default: the toolset's `always`. */
  writable?: readonly string[]
  /** Messages that one model call is shown. Default 50. */
  batchMessages?: number
  /** How long a worker has a thread to itself, in milliseconds: longer than a model call may take. Default 600_000. */
  leaseMs?: number
  /** Time and ids. Default: those of the process. */
  clock?: Clock
}

/**
 * - `consolidated`: what was new is in the files, as far as `results` say
 * - `nothing_new`: there was none
 * - `busy`: another worker has the thread
 * - `failed`: the model failed or gave no answer that could be used, or the files could not be brought together with what
 *   others wrote, three times. What is not done is done by the next run.
 */
export interface ThreadConsolidation {
  threadId: string
  status: 'consolidated' | 'nothing_new' | 'busy' | 'failed'
  /** Messages that were done. */
  messages: number
  /** One for each batch. */
  results: ConsolidationResult[]
}

export interface BackgroundConsolidation {
  /** Does what is new in every thread of an owner. For a scheduler, or at the end of a conversation. */
  run(owner: string, options?: CallOptions): Promise<ThreadConsolidation[]>
  /** Does what is new in one thread. Throws `wrong_owner` for somebody else's. */
  runThread(owner: string, threadId: string, options?: CallOptions): Promise<ThreadConsolidation>
}

/** How often a batch is asked anew where somebody else keeps writing the same lines. */
const MAX_TRIES = 3
/** What of a batch is looked for among the topic files. */
const QUERY_CHARS = 4_000

/**
 * Consolidates what was said since the last time, from a scheduler of yours or when a conversation ends. How far it got
 * is kept in a mark for each thread: no message is taken twice, and none is skipped.
 *
 * An answer is stored before it is written to the files, and the mark moves after that: a worker that dies in between
 * leaves the answer to the next, who finds what has landed and writes the rest, without asking a model. A batch whose
 * answer cannot be used leaves the mark where it is.
 *
 * ```ts
 * const background = backgroundConsolidation({ store, chat, consolidator, toolset: (owner) => toolsetOf(owner) })
 * await background.run('ada')
 * ```
 */
export function backgroundConsolidation(options: BackgroundConsolidationOptions): BackgroundConsolidation {
  const { store, chat, consolidator, toolset: toolsetOf, batchMessages = 50, leaseMs = 600_000 } = options
  const clock = options.clock ?? systemClock()

  async function runThread(
    owner: string,
    threadId: string,
    callOptions: CallOptions = {},
  ): Promise<ThreadConsolidation> {
    const marks = consolidationMarks(store, owner, clock)
    const worker = clock.newId()
    const done: ThreadConsolidation = { threadId, status: 'nothing_new', messages: 0, results: [] }
    const as = (status: ThreadConsolidation['status']): ThreadConsolidation => ({ ...done, status })
    const read = (last: number) => chat.messages(threadId, { last, owner, ...callOptions })

    /** So that nobody waits for the lease of one who has given up. */
    async function release(): Promise<void> {
      const found = await marks.get(threadId)
      if (found.mark.claim?.id === worker) await marks.put(threadId, withoutClaim(found), found)
    }

    try {
      return await work()
    } catch (error) {
      // A store that is down does not take it back either: then the lease ends it.
      await release().catch(() => {})
      throw error
    }

    async function work(): Promise<ThreadConsolidation> {
      for (let tries = 0; ;) {
        const found = await marks.get(threadId, callOptions)
        const { claim, pending } = found.mark
        if (claim !== undefined && claim.id !== worker && claim.untilMs > clock.nowMs()) return as('busy')
        const fresh = pending === undefined ? await messagesAfter(found.mark, read) : []
        if (pending === undefined && fresh.length === 0) {
          if (claim?.id === worker) await marks.put(threadId, withoutClaim(found), found, callOptions)
          return as(done.messages > 0 ? 'consolidated' : 'nothing_new')
        }
        const claimed = { ...found.mark, claim: { id: worker, untilMs: clock.nowMs() + leaseMs } }
        const mine = await marks.put(threadId, claimed, found, callOptions)
        if (mine === undefined) return as('busy')

        const written = pending === undefined ? await ask(mine, fresh.slice(0, batchMessages)) : mine
        if (written === undefined) return as('busy')
        if (written.mark.pending === undefined) return as('failed')
        const outcome = await write(written)
        if (outcome === 'busy') return as('busy')
        if (outcome === 'conflict' && ++tries === MAX_TRIES) return as('failed')
        if (outcome === 'done') tries = 0
      }
    }

    /** Asks for an answer and stores it; the mark is given back, with it or, where there is none, released. */
    async function ask(mine: MarkEntry, batch: Awaited<ReturnType<typeof read>>): Promise<MarkEntry | undefined> {
      const toolset = toolsetOf(owner)
      const { said } = transcriptOf(batch, QUERY_CHARS)
      await toolset.load({ query: said.map(({ text }) => text).join('\n'), ...callOptions })
      const writable = [...(options.writable ?? toolset.always)]
      const asked = await consolidator.ask(toolset, batch, { writable, ...callOptions })
      if (!asked.ok) {
        const { problem, message } = asked
        done.results.push({ failed: true, problem, message, changed: [], created: [], unchanged: [], refused: [] })
        return marks.put(threadId, withoutClaim(mine), mine, callOptions)
      }
      const pending = {
        id: clock.newId(),
        answer: asked.answer,
        writable: [...new Set([...writable, ...toolset.recalled()])],
        sources: untrustedSources(batch),
        messages: batch.length,
        ...markOf(batch),
      }
      return marks.put(threadId, { ...mine.mark, pending }, mine, callOptions)
    }

    /** Writes the answer that is stored, to files as they are now, and moves the mark. */
    async function write(mine: MarkEntry): Promise<'done' | 'conflict' | 'busy'> {
      const { id, answer, writable, sources = [], doneIds, doneAtMs, messages } = mine.mark.pending!
      const { pending: _, ...rest } = mine.mark
      const toolset = toolsetOf(owner)
      await toolset.load(callOptions)
      // The answer may be of a time when the toolset held other files.
      const held = writable.filter((path) => {
        const file = toolset.copy.read(path)
        return file.ok || file.code === 'not_found'
      })
      const result = consolidator.apply(toolset, answer, { writable: held, sources })
      const { conflicts } = await toolset.flush({ ...callOptions, opId: id })
      if (conflicts.length > 0) {
        // What could not be written is asked for anew, over what somebody else wrote.
        return (await marks.put(threadId, withoutClaim({ ...mine, mark: rest }), mine, callOptions))
          ? 'conflict'
          : 'busy'
      }
      if ((await marks.put(threadId, { ...rest, doneIds, doneAtMs }, mine, callOptions)) === undefined) return 'busy'
      done.results.push(result)
      done.messages += messages
      return 'done'
    }
  }

  return {
    runThread,
    async run(owner, callOptions = {}) {
      const threads: ThreadConsolidation[] = []
      for await (const { id } of chat.threads({ owner, ...callOptions })) {
        threads.push(await runThread(owner, id, callOptions))
      }
      return threads
    },
  }
}

function withoutClaim({ mark }: MarkEntry): ConsolidationMark {
  const { claim: _, ...rest } = mark
  return rest
}
