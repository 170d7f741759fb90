import { decodeEnvelope, encodeEnvelope, type Envelope } from './envelope.ts'
import { KeepsakeError } from './errors.ts'
import { descending, encodeTuple, fromDescending, type Key } from './keys.ts'
import type { AnyMessage, Stored } from './message.ts'
import type { Storable } from './normalise.ts'
import type { CallOptions, Row, RowStore } from './row-store.ts'

/**
 * How a thread lies in its entity:
 *
 * - `["m"]`, the head: who owns it. It stands right before the messages, so one scan reads both.
 * - `["m", descending(seq), id]`: one row an append, newest first.
 * - `["o", opId]` and `["i", message id]`: claims, so that an append is done once and an id is used once.
 */
export const HEAD_KEY: string = encodeTuple(['m'])
export const CLAIM_PREFIXES: readonly string[] = [encodeTuple(['o']), encodeTuple(['i'])]

export function appendKey(seq: number, id: string): string {
  return encodeTuple(['m', descending(seq), id])
}

/** A string before the keys of all appends up to `seq`, and after those of later ones. */
export function appendsUpTo(seq: number): string {
  return HEAD_KEY + descending(seq)
}

/** The version that an append row was given when it was made; it decides its place, whatever edits follow. */
export function seqOfAppend(key: string): number {
  return fromDescending(key.slice(HEAD_KEY.length, HEAD_KEY.length + 14))
}

/** What the head says. Where it is not live, the thread was cleared. */
export interface Head {
  row: Row
  live: boolean
  owner: string | undefined
  createdAtMs: number
  /** Names this life of the thread in its owner's list. */
  createdSeq: number
  /** Appends up to this one were cleared, even those that land late. */
  clearedSeq: number
}

export interface HeadValue {
  live: boolean
  createdSeq: number
  clearedSeq: number
}

export function encodeHead(
  value: HeadValue,
  createdAtMs: number,
  lineage: { owner?: Key; subject?: Key },
  writeId: string,
): Uint8Array {
  return encodeEnvelope({ value: { ...value }, createdAtMs, writeIds: [writeId], ...lineage })
}

export interface AppendRow<T> {
  row: Row
  envelope: Envelope
  messages: Stored<T>[]
}

/** A thread as far as it was read: newest append first. */
export interface ReadThread<T> {
  head: Head | undefined
  /** Whether its time is up: then nothing of it shows. */
  expired: boolean
  /** The version of the newest append, visible or not: what comes next is after it. */
  newestSeq: number
  appends: AppendRow<T>[]
}

const SCAN_ROWS = 500

/**
 * Reads a thread from its newest append backwards until `enough` messages are there or it ends. Rows of another owner
 * than the head's are no part of it: they were written by an append that lost the race for the thread.
 */
export async function readThread<T extends AnyMessage>(
  store: RowStore,
  entity: string,
  enough: number,
  nowMs: number,
  options: CallOptions,
): Promise<ReadThread<T>> {
  const thread: ReadThread<T> = { head: undefined, expired: false, newestSeq: 0, appends: [] }
  // The head and at least one append, which says where the thread ends.
  let limit = Math.min(Math.max(enough, 1) + 1, SCAN_ROWS)
  let count = 0
  for (let after: string | undefined; ; limit = Math.min(limit * 4, SCAN_ROWS)) {
    const page = await store.scan(entity, { prefix: HEAD_KEY, limit, ...(after !== undefined && { after }) }, options)
    for (const row of page) {
      if (row.key === HEAD_KEY) {
        thread.head = decodeHead(row)
        continue
      }
      const seq = seqOfAppend(row.key)
      thread.newestSeq = Math.max(thread.newestSeq, seq)
      if (row.rec.length === 0) continue
      if (thread.head?.live !== true || seq <= thread.head.clearedSeq) return thread
      const envelope = decodeEnvelope(row.rec)
      if (envelope.owner?.[0] !== thread.head.owner) continue
      // A thread expires as a whole, with its newest append.
      if (thread.appends.length === 0 && (envelope.expiresAtMs ?? Infinity) <= nowMs)
        return { ...thread, expired: true }
      const messages = messagesOf<T>(envelope.value)
      thread.appends.push({ row, envelope, messages })
      count += messages.length
      if (count >= enough) return thread
    }
    if (page.length < limit) return thread
    after = page.at(-1)!.key
  }
}

function decodeHead(row: Row): Head {
  const { value, owner, createdAtMs } = decodeEnvelope(row.rec)
  const { live, createdSeq, clearedSeq } = value as unknown as HeadValue
  return { row, live, createdSeq, clearedSeq, createdAtMs, owner: owner?.[0] }
}

function messagesOf<T>(value: Storable): Stored<T>[] {
  if (Array.isArray(value)) return value as unknown as Stored<T>[]
  throw new KeepsakeError('invalid_value', 'A stored append holds no messages: it was written by something else.')
}
