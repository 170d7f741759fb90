import { decodeEnvelope, encodeEnvelope, type Envelope } from '../values/envelope.ts'
import { KeepsakeError } from '../errors.ts'
import { decodeTuple, descending, encodeTuple, fromDescending, type Key } from '../rows/keys.ts'
import type { AnyMessage, Stored } from '../message.ts'
import type { Storable } from '../values/normalise.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'

/**
 * How a thread lies in its entity. A thread lives from its first append until it is cleared or expires, and may then live
 * again. Every row names its life, so what belongs to one that has ended, however late it lands, is no part of the next.
 *
 * - `["m"]`, the head: which life it is, and whose. It stands right before the messages, so one scan reads both.
 * - `["m", descending(life), descending(seq), id]`: one row an append, newest first.
 * - `["o", descending(life), …operation]` and `["i", descending(life), message id]`: claims, so that an append is done
 *   once and an id is used once.
 *
 * A life is named by the version of the head that began it: later ones have greater names.
 */
export const HEAD_KEY: string = encodeTuple(['m'])
const PREFIXES = [HEAD_KEY, encodeTuple(['o']), encodeTuple(['i'])]

export function appendKey(life: number, seq: number, id: string): string {
  return encodeTuple(['m', descending(life), descending(seq), id])
}

export function operationClaimKey(life: number, operation: Key): string {
  return encodeTuple(['o', descending(life), ...operation])
}

export function idClaimKey(life: number, messageId: string): string {
  return encodeTuple(['i', descending(life), messageId])
}

/** What the head says. Where it is not live, the thread was cleared. */
export interface Head {
  row: Row
  live: boolean
  life: number
  owner: string | undefined
  createdAtMs: number
}

export function encodeHead(
  { live, life }: Pick<Head, 'live' | 'life'>,
  createdAtMs: number,
  lineage: { owner?: Key; subject?: Key },
  writeId: string,
): Uint8Array {
  return encodeEnvelope({ value: { live, life }, createdAtMs, writeIds: [writeId], ...lineage })
}

export interface AppendRow<T> {
  row: Row
  envelope: Envelope
  messages: Stored<T>[]
}

/** A thread as far as it was read: newest append first. */
export interface ReadThread<T> {
  /** Left out where nothing ever was, or where it is long gone. */
  head: Head | undefined
  /** Whether there is a thread to see: it has a life, and its time is not up. */
  live: boolean
  /** The version of the newest append, visible or not: what comes next is after it. */
  newestSeq: number
  /** Whether rows of ended lives were met. */
  remains: boolean
  appends: AppendRow<T>[]
}

const SCAN_ROWS = 500

/** Reads a thread from its newest append backwards until `enough` messages are there or it ends. */
export async function readThread<T extends AnyMessage>(
  store: RowStore,
  entity: string,
  enough: number,
  nowMs: number,
  options: CallOptions,
): Promise<ReadThread<T>> {
  const thread: ReadThread<T> = { head: undefined, live: false, newestSeq: 0, remains: false, appends: [] }
  // The head and at least one append, which says where the thread ends.
  let limit = Math.min(Math.max(enough, 1) + 1, SCAN_ROWS)
  let count = 0
  for (let after: string | undefined; ; limit = Math.min(limit * 4, SCAN_ROWS)) {
    const page = await store.scan(entity, { prefix: HEAD_KEY, limit, ...(after !== undefined && { after }) }, options)
    for (const row of page) {
      if (row.key === HEAD_KEY) {
        thread.head = decodeHead(row)
        thread.live = thread.head.live
        continue
      }
      const { life, seq } = placeOf(row.key)
      thread.newestSeq = Math.max(thread.newestSeq, life, seq)
      if (thread.head?.live !== true || life !== thread.head.life) return { ...thread, remains: true }
      if (row.rec.length === 0) continue
      const envelope = decodeEnvelope(row.rec)
      // A thread expires as a whole, with its newest append.
      if (count === 0 && (envelope.expiresAtMs ?? Infinity) <= nowMs) return { ...thread, live: false }
      const messages = messagesOf<T>(envelope.value)
      thread.appends.push({ row, envelope, messages })
      count += messages.length
      if (count >= enough) return thread
    }
    if (page.length < limit) return thread
    after = page.at(-1)!.key
  }
}

/** Removes what belongs to lives that ended up to version `ended`; a later one may have begun. */
export async function removeLives(store: RowStore, entity: string, ended: number, options: CallOptions): Promise<void> {
  for (const prefix of PREFIXES) {
    // Before the keys of all lives up to `ended`, and after those of later ones.
    for (let after = prefix + descending(ended); ;) {
      const rows = await store.scan(entity, { prefix, after, limit: SCAN_ROWS }, options)
      if (rows.length > 0) await store.remove(rows, options)
      if (rows.length < SCAN_ROWS) break
      after = rows.at(-1)!.key
    }
  }
}

function placeOf(key: string): { life: number; seq: number } {
  const [, life = '', seq = ''] = decodeTuple(key)
  return { life: fromDescending(life), seq: fromDescending(seq) }
}

function decodeHead(row: Row): Head {
  const { value, owner, createdAtMs } = decodeEnvelope(row.rec)
  const { live, life } = value as unknown as Pick<Head, 'live' | 'life'>
  if (typeof live !== 'boolean' || !Number.isSafeInteger(life))
    throw notOurs('head of a thread says nothing of its life')
  return { row, live, life, createdAtMs, owner: owner?.[0] }
}

/** The messages of one append: none, if all of them were removed. */
export function messagesIn<T>(row: Row): Stored<T>[] {
  return row.rec.length === 0 ? [] : messagesOf(decodeEnvelope(row.rec).value)
}

function messagesOf<T>(value: Storable): Stored<T>[] {
  if (Array.isArray(value)) return value as unknown as Stored<T>[]
  throw notOurs('append holds no messages')
}

function notOurs(what: string): KeepsakeError {
  return new KeepsakeError('invalid_value', `A stored ${what}: it was written by something else. It was left as it is.`)
}
