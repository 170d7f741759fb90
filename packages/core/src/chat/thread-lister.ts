import type { ChatMemory, Thread } from './chat-memory.ts'
import type { Clock } from '../clock.ts'
import { checkLimit, decodeCursor, encodeCursor } from '../cursor.ts'
import { endLife } from './end-life.ts'
import { decodeTuple, encodeTuple, fromDescending } from '../rows/keys.ts'
import { createListing } from '../listing.ts'
import { ownerEntity, threadEntity, THREADS_AREA } from '../owner.ts'
import type { CallOptions, RowStore } from '../rows/row-store.ts'
import { checkOwnerOption } from './thread-owner.ts'
import { readThread } from './read-thread.ts'
import { type Head } from './thread-head.ts'

const LIST_PREFIX = encodeTuple([THREADS_AREA])
const THREAD_PREFIX = encodeTuple(['thread'])
/** So many candidates are read at once. */
const MAX_CANDIDATES = 500
/** So many threads whose time is up are removed for good by one page. */
const MAX_ENDED = 20

interface Candidate {
  position: string
  threadId: string
  /** Left out where the list does not say: then whichever it is counts. */
  life?: number
}

/** `threads` of {@link ChatMemory}. */
export function threadLister(store: RowStore, clock: Clock): ChatMemory<never>['threads'] {
  async function ownersThreads(
    owner: string,
    after: string | undefined,
    limit: number,
    options: CallOptions,
  ): Promise<Candidate[]> {
    const range = { prefix: LIST_PREFIX, limit, ...(after !== undefined && { after }) }
    const rows = await store.scan(ownerEntity(owner), range, options)
    return rows.map(({ key }) => {
      const [, life, threadId] = decodeTuple(key)
      return { position: key, threadId: threadId!, life: fromDescending(life!) }
    })
  }

  async function allThreads(after: string | undefined, limit: number, options: CallOptions): Promise<Candidate[]> {
    const range = { prefix: THREAD_PREFIX, limit, ...(after !== undefined && { after }) }
    const entities = await store.entities(range, options)
    return entities.map((entity) => ({ position: entity, threadId: decodeTuple(entity)[1]! }))
  }

  /** The thread, unless it was cleared, has expired, is empty, or belongs to somebody else by now. */
  async function read(
    { threadId, life }: Candidate,
    owner: string | undefined,
    expired: (threadId: string, head: Head) => void,
    options: CallOptions,
  ): Promise<Thread | undefined> {
    const { head, state, appends } = await readThread(store, threadEntity(threadId), 1, clock.nowMs(), options)
    const newest = appends[0]
    if (state === 'expired') expired(threadId, head!)
    if (head === undefined || newest === undefined) return undefined
    if (life !== undefined && (head.life !== life || head.owner !== owner)) return undefined
    return {
      id: threadId,
      ...(head.owner !== undefined && { owner: head.owner }),
      createdAtMs: head.createdAtMs,
      updatedAtMs: newest.row.updatedAtMs,
    }
  }

  return (given = {}) => {
    checkOwnerOption(given)
    const { owner, limit, cursor, ...options } = given
    const size = checkLimit(limit)
    return createListing(async (from) => {
      const items: Thread[] = []
      const ended = new Map<string, Head>()
      const expired = (threadId: string, head: Head): void => {
        if (ended.size < MAX_ENDED) ended.set(threadId, head)
      }
      // One more than asked for tells whether there is a next page.
      const count = Math.min(size + 1, MAX_CANDIDATES)
      let after = from === undefined ? undefined : decodeCursor(from, owner === undefined ? THREAD_PREFIX : LIST_PREFIX)
      let position = ''
      let next: string | undefined
      while (next === undefined) {
        const candidates = await (owner === undefined
          ? allThreads(after, count, options)
          : ownersThreads(owner, after, count, options))
        const threads = await Promise.all(candidates.map((candidate) => read(candidate, owner, expired, options)))
        for (const [index, thread] of threads.entries()) {
          if (thread === undefined) continue
          if (items.length === size) {
            next = encodeCursor(position)
            break
          }
          items.push(thread)
          position = candidates[index]!.position
        }
        if (candidates.length < count) break
        after = candidates.at(-1)!.position
      }
      for (const [threadId, head] of ended) await endLife(store, clock, threadId, head, options)
      return { items, ...(next !== undefined && { cursor: next }) }
    }, cursor)
  }
}
