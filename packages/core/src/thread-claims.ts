import { backoff } from './backoff.ts'
import type { CheckedMessage } from './check-messages.ts'
import { decodeEnvelope, encodeEnvelope } from './envelope.ts'
import { KeepsakeError } from './errors.ts'
import { encodeTuple } from './keys.ts'
import { TOMBSTONE_MS } from './record-rows.ts'
import type { CallOptions, RowStore, RowWrite } from './row-store.ts'

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

interface ClaimOptions {
  entity: string
  operation: Operation
  messageIds: readonly string[]
  /** The place that the append takes if it is not a repeat. */
  seq: number
  /** Claims up to here belong to a life of the thread that was cleared. */
  clearedSeq: number
  nowMs: number
}

/**
 * Claims the operation and the ids of its messages, and returns the place of the append: `seq`, or that of the first
 * attempt. The claim of an operation has the append's place as its own version. Throws `conflict` where an id belongs to
 * another append.
 */
export async function claimAppend(store: RowStore, claim: ClaimOptions, options: CallOptions): Promise<number> {
  const operationName = encodeTuple(claim.operation)
  const operationKey = encodeTuple(['o', ...claim.operation])
  for (let attempt = 0; ;) {
    const writes = [
      claimRow(claim, operationKey, null, claim.nowMs + TOMBSTONE_MS),
      ...claim.messageIds.map((id) => claimRow(claim, encodeTuple(['i', id]), operationName)),
    ]
    const results = await store.write(writes, options)
    const lost = writes.filter((_, index) => results[index]!.status === 'stale')
    if (lost.length === 0) return claim.seq
    const standing = (await store.load(lost, options)).filter((row) => row !== undefined)
    const outdated = standing.filter((row) => row.seq <= claim.clearedSeq)
    if (standing.length === lost.length && outdated.length === 0) {
      const foreign = standing.some(
        (row) => row.key !== operationKey && decodeEnvelope(row.rec).value !== operationName,
      )
      if (!foreign) return standing.find((row) => row.key === operationKey)?.seq ?? claim.seq
      const own = writes.filter((_, index) => results[index]!.status === 'applied')
      await store.remove(own, options)
      throw conflict()
    }
    if (outdated.length > 0) await store.remove(outdated, options)
    await backoff(++attempt, 'Claiming an append', options.signal)
  }
}

function claimRow(
  { entity, seq, nowMs }: ClaimOptions,
  key: string,
  value: string | null,
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
    'The thread has a message with one of these ids already, with other content or from another call. Leave the id out, or give the call an opId to repeat it safely. Nothing was appended.',
  )
}
