import type { Clock } from '../clock.ts'
import { subjectEntity } from '../owner.ts'
import type { Key } from '../rows/keys.ts'
import { encodeTuple } from '../rows/keys.ts'
import type { RowWrite } from '../rows/row-store.ts'
import { encodeEnvelope } from '../values/envelope.ts'

/** The entity of all that was done to other people's rows. */
export const AUDIT_ENTITY: string = encodeTuple(['audit'])

/**
 * Evidence of an erasure: when, and how many rows of which kind went, and nothing of what they held. `subjectHash` is the
 * SHA-256 of the audit id and the subject: it answers "was this person erased?" for who asks about a person, and names nobody.
 */
export async function auditRow(
  auditId: string,
  subject: Key,
  { beganAtMs, counts }: { beganAtMs: number; counts: Record<string, number> },
  clock: Clock,
): Promise<RowWrite> {
  const nowMs = clock.nowMs()
  const subjectHash = await hashOf(auditId + subjectEntity(subject))
  const value = { action: 'erase', beganAtMs, completedAtMs: nowMs, counts, subjectHash }
  return {
    entity: AUDIT_ENTITY,
    key: encodeTuple(['erasure', auditId]),
    seq: clock.nextSeq(),
    rec: encodeEnvelope({ value, createdAtMs: nowMs }),
    updatedAtMs: nowMs,
    guard: 'monotonic',
  }
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
