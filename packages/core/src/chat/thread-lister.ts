import type { ChatMemory, Thread } from './chat-memory.ts'
import type { Clock } from '../clock.ts'
import { checkLimit, decodeCursor, encodeCursor } from '../cursor.ts'
import { decodeTuple, descending, encodeTuple, fromDescending } from '../rows/keys.ts'
import { createListing } from '../listing.ts'
import { ownerEntity, threadEntity, THREADS_AREA } from '../owner.ts'
import type { CallOptions, RowStore } from '../rows/row-store.ts'
import { checkOwnerOption } from './thread-owner.ts'
import { readThread } from './thread-rows.ts'

/** Where an owner's list of threads lies in the owner's entity: newest first. */
export function listKey(life: number, threadId: string): string {
  return encodeTuple([THREADS_AREA, descending(life), threadId])
}

const LIST_PREFIX = encodeTuple([THREADS_AREA])
const THREAD_PREFIX = encodeTuple(['thread'])

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
    options: CallOptions,
  ): Promise<Thread | undefined> {
    const { head, appends } = await readThread(store, threadEntity(threadId), 1, clock.nowMs(), options)
    const newest = appends[0]
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
      let after = from === undefined ? undefined : decodeCursor(from, owner === undefined ? THREAD_PREFIX : LIST_PREFIX)
      let position = ''
      for (;;) {
        const candidates = await (owner === undefined
          ? allThreads(after, size + 1, options)
          : ownersThreads(owner, after, size + 1, options))
        const threads = await Promise.all(candidates.map((candidate) => read(candidate, owner, options)))
        for (const [index, thread] of threads.entries()) {
          if (thread === undefined) continue
          // One more than asked for tells whether there is a next page.
          if (items.length === size) return { items, cursor: encodeCursor(position) }
          items.push(thread)
          position = candidates[index]!.position
        }
        if (candidates.length <= size) return { items }
        after = candidates.at(-1)!.position
      }
    }, cursor)
  }
}
