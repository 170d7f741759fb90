import { THREADS_AREA } from '../owner.ts'
import { decodeTuple, descending, encodeTuple, fromDescending, type Key } from '../rows/keys.ts'

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
/** Before the keys of all lives: of appends and heads, of operations, of ids. */
export const LIFE_PREFIXES: readonly string[] = [HEAD_KEY, encodeTuple(['o']), encodeTuple(['i'])]

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

/** The life and the version that the key of an append names. */
export function positionOf(key: string): { life: number; seq: number } {
  const [, life = '', seq = ''] = decodeTuple(key)
  return { life: fromDescending(life), seq: fromDescending(seq) }
}
