import { KeepsakeError } from '../errors.ts'
import type { Stored } from '../message.ts'
import type { Row } from '../rows/row-store.ts'
import { decodeEnvelope, type Envelope } from '../values/envelope.ts'
import type { Storable } from '../values/normalise.ts'

/** A commit of a run: the version of its activation, and which of its attempts made it. */
export interface TurnRef {
  s: number
  ep: number
}

/** A turn that counts, and the version of its row: where in the thread it stands. */
export type TurnPlace = TurnRef & { seq: number }

/** Which commit a turn belongs to, and the turn before. */
export type TurnMark = TurnRef & { previous?: TurnPlace }

export interface AppendRow<T> {
  row: Row
  envelope: Envelope
  messages: Stored<T>[]
  /** Of the turn of a run. */
  mark: TurnMark | undefined
}

/** The messages of one append: none, if all of them were removed or cannot be read any more. */
export function messagesIn<T>(row: Row): Stored<T>[] {
  return isGone(row) ? [] : messagesOf(decodeEnvelope(row.rec).value)
}

/** The messages that the value of an append holds. */
export function messagesOf<T>(value: Storable): Stored<T>[] {
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

/** Which commit a turn belongs to; `undefined` for a plain append. */
export function markOf(value: Storable): TurnMark | undefined {
  if (typeof value !== 'object' || value === null || !('run' in value)) return undefined
  return (value as unknown as MarkedTurn<unknown>).run
}

/**
 * Whether a turn, whose row has version `seq`, is part of the thread, where `expected` is the newest that is and not met
 * yet. Behind the place of that one it is gone, and what is older is next. Before it stands what a worker that lost has
 * written late.
 */
export function isSaid({ s, ep }: TurnMark, seq: number, expected: TurnPlace | undefined): boolean {
  if (expected === undefined) return false
  return (s === expected.s && ep === expected.ep) || (s < expected.s && seq < expected.seq)
}

/** The error of a row that nothing of ours wrote. */
export function notOurs(what: string): KeepsakeError {
  return new KeepsakeError('invalid_value', `A stored ${what}: it was written by something else. It was left as it is.`)
}

/** Whether the append that was to stand here cannot land any more. */
export function isRevoked(row: Row): boolean {
  return !isGone(row) && decodeEnvelope(row.rec).value === null
}

/** A tombstone: what it held cannot be read any more, such as by an encrypted store whose key for it was destroyed. */
export function isGone(row: Row): boolean {
  return row.rec.length === 0
}
