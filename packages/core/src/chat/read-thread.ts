import { backoff } from '../backoff.ts'
import type { AnyMessage } from '../message.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'
import { decodeEnvelope } from '../values/envelope.ts'
import { isGone, isSaid, markOf, messagesOf, type AppendRow, type TurnPlace } from './append-row.ts'
import { decodeHead, type Head } from './thread-head.ts'
import { HEAD_KEY, positionOf, RUNS_HEAD_KEY } from './thread-keys.ts'

/** A thread as far as it was read: newest append first. */
export interface ReadThread<T> {
  /** Left out where nothing ever was, or where it is long gone. */
  head: Head | undefined
  /**
   * `live` is a thread to see. `beginning` has a head and no append: one is on its way or failed, and the thread is nobody's
   * yet. `expired` had its time. `ended` is all else.
   */
  state: 'live' | 'beginning' | 'expired' | 'ended'
  /** The version of the newest append, visible or not: what comes next is after it. */
  newestSeq: number
  /** Whether rows of ended lives were met. */
  remains: boolean
  /** The head of the thread's runs, as it was read with the rest. */
  runs: Row | undefined
  /** Those that have messages. */
  appends: AppendRow<T>[]
}

const SCAN_ROWS = 500

/**
 * Reads a thread from its newest append backwards until `enough` messages are there or it ends; with 0 no further than its
 * newest append. `heads` is how many are expected: 2 where the thread has runs, so that one page is enough there too.
 */
export async function readThread<T extends AnyMessage>(
  store: RowStore,
  entity: string,
  enough: number,
  nowMs: number,
  options: CallOptions,
  heads: 1 | 2 = 1,
): Promise<ReadThread<T>> {
  for (let attempt = 0; ; await backoff(++attempt, 'Reading a thread', options.signal)) {
    const { thread, pages } = await readPages<T>(store, entity, enough, nowMs, options, heads)
    if (pages === 1 || thread.head === undefined) return thread
    // It may have been cleared between two pages: then what was read is part of it.
    const [head] = await store.load([{ entity, key: HEAD_KEY }], options)
    if (head?.seq === thread.head.row.seq) return thread
  }
}

async function readPages<T extends AnyMessage>(
  store: RowStore,
  entity: string,
  enough: number,
  nowMs: number,
  options: CallOptions,
  heads: 1 | 2,
): Promise<{ thread: ReadThread<T>; pages: number }> {
  const thread: ReadThread<T> = {
    head: undefined,
    state: 'ended',
    newestSeq: 0,
    remains: false,
    runs: undefined,
    appends: [],
  }
  // The heads and at least one append, which says where the thread ends.
  let limit = Math.min(Math.max(enough, 1) + heads, SCAN_ROWS)
  let expected: TurnPlace | undefined
  // The newest append is there and does not say when it expires.
  let undated = false
  let count = 0
  let after: string | undefined
  for (let pages = 1; ; pages++) {
    const page = await store.scan(entity, { prefix: HEAD_KEY, limit, ...(after !== undefined && { after }) }, options)
    for (const row of page) {
      if (row.key === HEAD_KEY) {
        thread.head = decodeHead(row)
        if (thread.head.live) thread.state = 'beginning'
        continue
      }
      if (row.key === RUNS_HEAD_KEY) {
        thread.runs = row
        if (!isGone(row)) expected = (decodeEnvelope(row.rec).value as { said?: TurnPlace }).said
        continue
      }
      const { life, seq } = positionOf(row.key)
      thread.newestSeq = Math.max(thread.newestSeq, life, seq)
      if (thread.head?.live !== true || life !== thread.head.life)
        return { thread: { ...thread, remains: true }, pages }
      if (isGone(row)) {
        undated ||= thread.state === 'beginning'
        thread.state = 'live'
        continue
      }
      const envelope = decodeEnvelope(row.rec)
      if (envelope.value === null) continue
      const mark = markOf(envelope.value)
      if (mark !== undefined) {
        if (!isSaid(mark, seq, expected)) continue
        expected = mark.previous
      }
      if (thread.state === 'beginning' || undated) {
        undated = false
        // A thread expires as a whole, with its newest append.
        thread.state = (envelope.expiresAtMs ?? Infinity) <= nowMs ? 'expired' : 'live'
        if (thread.state === 'expired') return { thread, pages }
      }
      const messages = messagesOf<T>(envelope.value)
      if (messages.length > 0) thread.appends.push({ row, envelope, messages, mark })
      count += messages.length
      if (count >= enough) return { thread, pages }
    }
    if (page.length < limit) return { thread, pages }
    after = page.at(-1)!.key
    limit = Math.min(limit * 4, SCAN_ROWS)
  }
}
