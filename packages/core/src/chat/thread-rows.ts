import { backoff } from '../backoff.ts'
import { decodeEnvelope, encodeEnvelope, type Envelope } from '../values/envelope.ts'
import { KeepsakeError } from '../errors.ts'
import { decodeTuple, descending, encodeTuple, fromDescending, type Key } from '../rows/keys.ts'
import type { AnyMessage, Stored } from '../message.ts'
import type { Storable } from '../values/normalise.ts'
import { THREADS_AREA } from '../owner.ts'
import { TOMBSTONE_MS } from '../records/record-rows.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'

/**
 * How a thread lies in its entity. A thread lives from its first append until it is cleared or expires, and may then live
 * again. Every row names its life, so what belongs to one that has ended, however late it lands, is no part of the next.
 *
 * - `["m"]`, the head: which life it is, whose, and the place of its first append. It stands right before the messages, so
 *   one scan reads both.
 * - `["m", "!"]`, the head of the thread's durable runs, which is the engine's: it says which run's turn is the newest.
 * - `["m", descending(life), descending(seq), id]`: one row an append, newest first. The last two are its place.
 * - `["o", descending(life), …operation]` and `["i", descending(life), message id]`: claims, which say the place of their
 *   append, so that it is done once and an id is used once.
 *
 * A row of an append holds its messages; none, if all were removed; `null`, if its place was revoked: the append that was
 * to stand there had not landed when another needed its thread or its ids, and cannot land any more. The turn of a run
 * names the commit that it belongs to, and the one of the turn before: only the turns that hang together from the one that
 * the head of the runs names are part of the thread. So a turn is there with its commit, and not before.
 *
 * A life is named by the version of the head that began it: later ones have greater names.
 */
export const HEAD_KEY: string = encodeTuple(['m'])
/** Before all lives, which begin with a digit. */
export const RUNS_HEAD_KEY: string = encodeTuple(['m', '!'])
const PREFIXES = [HEAD_KEY, encodeTuple(['o']), encodeTuple(['i'])]

/** Where an append stands in a life of a thread. */
export interface Place {
  seq: number
  id: string
}

export function appendKey(life: number, { seq, id }: Place): string {
  return encodeTuple(['m', descending(life), descending(seq), id])
}

/** The key of an append in another life. */
export function keyInLife(key: string, life: number): string {
  const [area = '', , seq = '', id = ''] = decodeTuple(key)
  return encodeTuple([area, descending(life), seq, id])
}

/** A place as a text, in the order of appends: later ones first. */
export function placeName({ seq, id }: Place): string {
  return `${descending(seq)}.${id}`
}

/** The inverse of {@link placeName}: `undefined` for another text. */
export function placeNamed(name: string): Place | undefined {
  const match = /^([01][0-9a-f]{13})\.(.+)$/s.exec(name)
  return match === null ? undefined : { seq: fromDescending(match[1]!), id: match[2]! }
}

/** An id for the message with this index in its append. It tells where the append stands, so that it is found again. */
export function messageIdAt(place: Place, index: number): string {
  return `${placeName(place)}.${index}`
}

/** Where the append stands that gave a message this id: `undefined` for an id of another form. */
export function placeOfMessageId(messageId: string): Place | undefined {
  const match = /^(.+)\.\d+$/s.exec(messageId)
  return match === null ? undefined : placeNamed(match[1]!)
}

export function operationClaimKey(life: number, operation: Key): string {
  return encodeTuple(['o', descending(life), ...operation])
}

export function idClaimKey(life: number, messageId: string): string {
  return encodeTuple(['i', descending(life), messageId])
}

/** Where an owner's list of threads lies in the owner's entity: newest first. */
export function listKey(life: number, threadId: string): string {
  return encodeTuple([THREADS_AREA, descending(life), threadId])
}

/** What the head says. Where it is not live, the thread was cleared. */
export interface Head {
  row: Row
  live: boolean
  life: number
  owner: string | undefined
  createdAtMs: number
  /** The place that its first append was given when it began. */
  first: Place | undefined
  /** Whether its owner is being erased: nothing is appended any more. */
  erased: boolean
}

/** The head of a thread that is being erased: it names the one for whom, so that an erasure that was interrupted can go on. */
export function encodeErasedHead(createdAtMs: number, owner: Key): Uint8Array {
  return encodeEnvelope({ value: { live: false, life: 0, erased: true }, createdAtMs, owner })
}

export function encodeHead(
  { live, life, first }: Pick<Head, 'live' | 'life' | 'first'>,
  createdAtMs: number,
  lineage: { owner?: Key; subject?: Key },
  writeId: string,
): Uint8Array {
  const value = { live, life, ...(first !== undefined && { first: placeName(first) }) }
  return encodeEnvelope({ value, createdAtMs, writeIds: [writeId], ...lineage })
}

/** A commit of a run: the version of its activation, and which of its attempts made it. */
export interface TurnRef {
  s: number
  ep: number
}

/** Which commit a turn belongs to, and the one of the turn before. */
export type TurnMark = TurnRef & { previous?: TurnRef }

export interface AppendRow<T> {
  row: Row
  envelope: Envelope
  messages: Stored<T>[]
  /** Of the turn of a run. */
  mark: TurnMark | undefined
}

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
  let expected: TurnRef | undefined
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
        expected = (decodeEnvelope(row.rec).value as { said?: TurnRef }).said
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
        if (!isSaid(mark, expected)) continue
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

/**
 * Makes sure that the append that was to stand at `place` never lands. Returns whether that is so; it is not, if it has
 * landed. `nowMs` is when; the mark goes by itself 30 days later.
 */
export async function revoke(
  store: RowStore,
  entity: string,
  life: number,
  place: Place,
  nowMs: number,
  options: CallOptions,
): Promise<boolean> {
  const id = { entity, key: appendKey(life, place) }
  const rec = encodeEnvelope({ value: null, createdAtMs: nowMs })
  const mark = { ...id, seq: place.seq, rec, updatedAtMs: nowMs, expiresAtMs: nowMs + TOMBSTONE_MS }
  const [result] = await store.write([{ ...mark, guard: 'absent' }], options)
  if (result!.status === 'applied') return true
  const [row] = await store.load([id], options)
  return row !== undefined && isRevoked(row)
}

export function isRevoked(row: Row): boolean {
  return !isGone(row) && decodeEnvelope(row.rec).value === null
}

/** A tombstone: what it held cannot be read any more, such as by an encrypted store whose key for it was destroyed. */
function isGone(row: Row): boolean {
  return row.rec.length === 0
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

function positionOf(key: string): { life: number; seq: number } {
  const [, life = '', seq = ''] = decodeTuple(key)
  return { life: fromDescending(life), seq: fromDescending(seq) }
}

function decodeHead(row: Row): Head {
  // Nobody can say any more whose the thread was: it has ended. Its life is not named later than this row.
  if (isGone(row))
    return {
      row,
      live: false,
      life: row.seq,
      createdAtMs: row.updatedAtMs,
      owner: undefined,
      first: undefined,
      erased: false,
    }
  const { value, owner, createdAtMs } = decodeEnvelope(row.rec)
  const { live, life, first, erased } = value as Partial<Record<'live' | 'life' | 'first' | 'erased', unknown>>
  if (typeof live !== 'boolean' || typeof life !== 'number' || !Number.isSafeInteger(life))
    throw notOurs('head of a thread says nothing of its life')
  return {
    row,
    live,
    life,
    createdAtMs,
    owner: owner?.[0],
    first: typeof first === 'string' ? placeNamed(first) : undefined,
    erased: erased === true,
  }
}

/** The messages of one append: none, if all of them were removed or cannot be read any more. */
export function messagesIn<T>(row: Row): Stored<T>[] {
  return isGone(row) ? [] : messagesOf(decodeEnvelope(row.rec).value)
}

function messagesOf<T>(value: Storable): Stored<T>[] {
  if (Array.isArray(value)) return value as unknown as Stored<T>[]
  if (markOf(value) !== undefined) return (value as unknown as MarkedTurn<T>).messages
  throw notOurs('append holds no messages')
}

interface MarkedTurn<T> {
  run: TurnMark
  messages: Stored<T>[]
}

/** What the row of an append holds. */
export function appendValue(messages: readonly Storable[], mark: TurnMark | undefined): Storable {
  return mark === undefined ? [...messages] : { run: mark as unknown as Storable, messages: [...messages] }
}

function markOf(value: Storable): TurnMark | undefined {
  if (typeof value !== 'object' || value === null || !('run' in value)) return undefined
  return (value as unknown as MarkedTurn<unknown>).run
}

/** Whether a turn is part of the thread, where `expected` is the newest that is. Of those before it some may be gone. */
function isSaid({ s, ep }: TurnMark, expected: TurnRef | undefined): boolean {
  return expected !== undefined && (s < expected.s || (s === expected.s && ep === expected.ep))
}

function notOurs(what: string): KeepsakeError {
  return new KeepsakeError('invalid_value', `A stored ${what}: it was written by something else. It was left as it is.`)
}
