import { backoff } from '../backoff.ts'
import type { CheckedMessage } from './check-messages.ts'
import type { Clock } from '../clock.ts'
import { decodeEnvelope, encodeEnvelope } from '../values/envelope.ts'
import { KeepsakeError } from '../errors.ts'
import { checkRowText, checkText, encodeTuple } from '../rows/keys.ts'
import { TOMBSTONE_MS } from '../records/record-rows.ts'
import { MAX_KEY_BYTES, MAX_SEQ, type CallOptions, type RowStore, type RowWrite } from '../rows/row-store.ts'
import { appendKey, idClaimKey, operationClaimKey } from './thread-rows.ts'

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
  operation: Operation
  /** The messages as they came: those with ids claim them. */
  checked: readonly CheckedMessage[]
  /** The place that the append takes if it is not a repeat. */
  seq: number
  clock: Clock
}

/**
 * Claims the operation and the ids of its messages, and returns the place of the append: `seq`, or that of the first
 * attempt. Claims have the append's place as their own version, so where attempts met and each got some of them, all take
 * the first place. Throws `conflict` where an id belongs to another append.
 */
export async function claimAppend(store: RowStore, claim: Claim, options: CallOptions): Promise<number> {
  const { life, operation, checked, seq, clock } = claim
  const operationName = encodeTuple(operation)
  const operationKey = operationClaimKey(life, operation)
  const messageIds = checked.flatMap(({ id }) => (id === undefined ? [] : [id]))
  for (let attempt = 0; ; await backoff(++attempt, 'Claiming an append', options.signal)) {
    const nowMs = clock.nowMs()
    const writes = [
      claimRow(claim, operationKey, null, nowMs, nowMs + TOMBSTONE_MS),
      ...messageIds.map((id) => claimRow(claim, idClaimKey(life, id), operationName, nowMs)),
    ]
    const results = await store.write(writes, options)
    const lost = writes.filter((_, index) => results[index]!.status === 'stale')
    if (lost.length === 0) return seq
    const standing = (await store.load(lost, options)).filter((row) => row !== undefined)
    const expired = standing.filter(({ expiresAtMs = Infinity }) => expiresAtMs <= nowMs)
    if (expired.length > 0) await store.remove(expired, options)
    if (expired.length > 0 || standing.length < lost.length) continue
    const own = writes.filter((_, index) => results[index]!.status === 'applied')
    if (standing.some(({ key, rec }) => key !== operationKey && decodeEnvelope(rec).value !== operationName)) {
      await store.remove(own, options)
      throw conflict()
    }
    return Math.min(...[...own, ...standing].map((row) => row.seq))
  }
}

function claimRow(
  { entity, seq }: Claim,
  key: string,
  value: string | null,
  nowMs: number,
  expiresAtMs?: number,
): RowWrite {
  const rec = encodeEnvelope({ value, createdAtMs: nowMs })
  return {
    entity,
    key,
    seq,
    rec,
    updatedAtMs: nowMs,
    guard: 'absent',
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  }
}

function conflict(): KeepsakeError {
  return new KeepsakeError(
    'conflict',
    'The thread has, or had, a message with one of these ids, with other content or from another call. Leave the id out, or give the call an opId to repeat it safely. Nothing was appended.',
  )
}

/** Throws `invalid_key` unless `opId` can name an append. */
export function checkOpId(opId: string): void {
  checkText(opId, 'opId')
  if (opId === '')
    throw new KeepsakeError('invalid_key', 'opId is empty. Give the append a name of its own, or leave it out.')
  for (const key of [appendKey(MAX_SEQ, MAX_SEQ, opId), operationClaimKey(MAX_SEQ, [opId])]) {
    checkRowText(key, 'opId, as stored,', MAX_KEY_BYTES)
  }
}
