import type { Key } from '../rows/keys.ts'
import type { Row } from '../rows/row-store.ts'
import { decodeEnvelope, encodeEnvelope } from '../values/envelope.ts'
import { isGone, notOurs } from './append-row.ts'
import { placeName, placeNamed, type Place } from './thread-keys.ts'

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

/** Reads the head. Throws `invalid_value` for what is none. */
export function decodeHead(row: Row): Head {
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
