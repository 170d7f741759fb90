import { backoff } from '../backoff.ts'
import type { CheckedMessage } from './check-messages.ts'
import type { Clock } from '../clock.ts'
import { decodeEnvelope, encodeEnvelope } from '../values/envelope.ts'
import { KeepsakeError } from '../errors.ts'
import { checkRowText, checkText, encodeTuple } from '../rows/keys.ts'
import { TOMBSTONE_MS } from '../records/record-rows.ts'
import { MAX_KEY_BYTES, MAX_SEQ, type CallOptions, type Row, type RowStore, type RowWrite } from '../rows/row-store.ts'
import { isRevoked } from './append-row.ts'
import { revoke } from './revoke.ts'
import {
  appendKey,
  idClaimKey,
  operationClaimKey,
  type Place,
  placeName,
  placeNamed,
  placeOfMessageId,
} from './thread-keys.ts'

/** What makes an append the same one when it is repeated: the caller's name for it, or its content. */
export type Operation = readonly [opId: string] | readonly ['', digest: string]

/**
 * The operation that an append is. Where messages bring ids but the call has no `opId`, it is named by its content, so that
 * a client that sends the same messages again adds nothing.
 */
export async function operationOf(
  opId: string | undefined,
  messages: readonly CheckedMessage[],
): Promise<Operation | undefined> {
  if (opId !== undefined) return [opId]
  if (messages.every(({ id }) => id === undefined)) return undefined
  const bytes = encodeEnvelope({ value: [...messages], createdAtMs: 0 })
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
  return ['', Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')]
}

interface Claim {
  entity: string
  life: number
  /** Where the append stands if it is not a repeat. */
  place: Place
  /** Left out where neither the call nor its messages bring a name. */
  operation: Operation | undefined
  /** The messages as they came: those with ids claim them. */
  checked: readonly CheckedMessage[]
  clock: Clock
}

interface Standing {
  row: Row
  /** As `placeName` writes it. */
  place: string
  /** Whose the claim is, as `encodeTuple` writes the operation. */
  operation: string
}

/** So often an append of another call is given time to land before its place is revoked. */
export const PATIENCE = 3

/**
 * Claims the operation and the ids of its messages, and returns the place of the append: its own, or that of the first
 * attempt. Every claim says the place; where attempts met and each got some of them, all come to say the first place.
 *
 * A claim holds while its append is there, or may still land. One of another call that has not landed after some looks has
 * its place revoked, so that it never will, and the claim is taken over: an append that failed keeps no id from others.
 * Throws `conflict` where an id belongs to an append that is there.
 */
export async function claimAppend(store: RowStore, claim: Claim, options: CallOptions): Promise<Place> {
  const { entity, life, operation, checked, place, clock } = claim
  if (operation === undefined) return place
  const messageIds = checked.flatMap(({ id }) => (id === undefined ? [] : [id]))
  await refuseGivenIds(store, claim, messageIds, options)
  const name = placeName(place)
  const owner = encodeTuple(operation)
  const keys = [operationClaimKey(life, operation), ...messageIds.map((id) => idClaimKey(life, id))]
  const nowMs = clock.nowMs()
  const claimAt = (key: string, at: string): Omit<RowWrite, 'guard' | 'seq'> => ({
    entity,
    key,
    rec: encodeEnvelope({ value: { place: at, operation: owner }, createdAtMs: nowMs }),
    updatedAtMs: nowMs,
    ...(key === keys[0] && { expiresAtMs: nowMs + TOMBSTONE_MS }),
  })
  const fresh = keys.map((key): RowWrite => ({ ...claimAt(key, name), seq: place.seq, guard: 'absent' }))

  for (let attempt = 0; ; await backoff(++attempt, 'Claiming an append', options.signal)) {
    const results = await store.write(fresh, options)
    if (results.every(({ status }) => status === 'applied')) return place
    const rows = (await store.load(fresh, options)).filter((row) => row !== undefined)
    const expired = rows.filter(({ expiresAtMs = Infinity }) => expiresAtMs <= nowMs)
    if (expired.length > 0) await store.remove(expired, options)
    if (expired.length > 0 || rows.length < fresh.length) continue

    const standing = rows.map(decodeClaim)
    const places = [...new Set(standing.map((one) => one.place))]
    const found = await store.load(
      places.map((one) => ({ entity, key: appendKey(life, placeOf(one)) })),
      options,
    )
    const appends = new Map(places.map((one, index) => [one, found[index]]))
    const isVoid = (one: string): boolean => {
      const row = appends.get(one)
      return one !== name && row !== undefined && isRevoked(row)
    }
    const others = standing.filter((one) => one.operation !== owner && !isVoid(one.place))
    if (others.some((one) => appends.get(one.place) !== undefined)) {
      const own = standing.filter((one) => one.place === name && one.operation === owner)
      await store.remove(
        own.map(({ row }) => row),
        options,
      )
      throw conflict()
    }
    if (others.length > 0) {
      if (attempt < PATIENCE) continue
      for (const one of others) await revoke(store, entity, life, placeOf(one.place), nowMs, options)
      continue
    }
    // Names of earlier places are greater.
    const mine = standing.filter((one) => one.operation === owner && !isVoid(one.place)).map((one) => one.place)
    const first = mine.toSorted().at(-1) ?? name
    const astray = standing.filter((one) => one.place !== first || one.operation !== owner)
    if (astray.length === 0) return placeOf(first)
    await store.write(
      astray.map(({ row }) => ({ ...claimAt(row.key, first), seq: clock.nextSeq(row.seq), guard: { seq: row.seq } })),
      options,
    )
  }
}

/** Throws `conflict` where one of the ids is one that the thread gave: it says where its append stands. */
async function refuseGivenIds(
  store: RowStore,
  { entity, life }: Claim,
  messageIds: readonly string[],
  options: CallOptions,
): Promise<void> {
  const keys = messageIds.flatMap((id) => {
    const at = placeOfMessageId(id)
    return at === undefined ? [] : [appendKey(life, at)]
  })
  if (keys.length === 0) return
  const rows = await store.load(
    [...new Set(keys)].map((key) => ({ entity, key })),
    options,
  )
  if (rows.some((row) => row !== undefined && !isRevoked(row))) throw conflict()
}

/** Where the append stands that a claim is of. */
export function placeOfClaim(row: Row): Place {
  return placeOf(decodeClaim(row).place)
}

function decodeClaim(row: Row): Standing {
  const { place, operation } = decodeEnvelope(row.rec).value as Partial<Record<string, unknown>>
  if (typeof place === 'string' && typeof operation === 'string') return { row, place, operation }
  throw new KeepsakeError('invalid_value', 'A stored claim names no append: it was written by something else.')
}

function placeOf(name: string): Place {
  const place = placeNamed(name)
  if (place !== undefined) return place
  throw new KeepsakeError('invalid_value', 'A stored claim names no place: it was written by something else.')
}

function conflict(): KeepsakeError {
  return new KeepsakeError(
    'conflict',
    'The thread has, or had, a message with one of these ids, with other content or from another call. Append only what is new, leave the id out, or give the call an opId to repeat it safely. Nothing was appended.',
  )
}

/** Throws `invalid_key` unless `opId` can name an append. */
export function checkOpId(opId: string): void {
  checkText(opId, 'opId')
  if (opId === '')
    throw new KeepsakeError('invalid_key', 'opId is empty. Give the append a name of its own, or leave it out.')
  checkRowText(operationClaimKey(MAX_SEQ, [opId]), 'opId, as stored,', MAX_KEY_BYTES)
}
