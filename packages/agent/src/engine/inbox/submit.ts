import { KeepsakeError, registerSubject, type CallOptions, type Storable } from '@keepsake/core'
import { refusedErased } from '../claim.ts'
import type { Ground } from '../ground.ts'
import { headId, readHead } from '../rows/head.ts'
import { inboxRows, TAIL_KEY } from '../rows/inbox.ts'
import { readyRow } from '../rows/shard.ts'
import { writeRows } from '../store-calls.ts'

/** Puts an event into the inbox of its entity. Once it returns, the event will be worked; repeated, it is worked once. */
export async function submit(
  ground: Ground,
  { id, entity, event }: { id: string; entity: string; event: { id: string; data: Storable } },
  options: CallOptions,
): Promise<void> {
  const { store, clock } = ground
  const [tail, head] = await store.load([{ entity, key: TAIL_KEY }, headId(entity)], options)
  if (readHead(head).head.erased) throw refusedErased()
  const subject = tail === undefined ? ground.options.subjectOf(id, event.data) : undefined
  if (subject !== undefined) await registerSubject(store, subject, [entity], clock, options)
  const nowMs = clock.nowMs()
  const n = clock.nextSeq(tail?.seq)
  const rows = inboxRows(entity, n, event, nowMs)
  await writeRows(ground, store, rows, options)
  // Only after the answer: an entry of the shard whose event is not there is taken for one whose event is done.
  await writeRows(ground, store, [readyRow(ground.options.kind, n, id, event.id, nowMs)], options)
  ground.wake()
}

/** How much of a record is left to the head that will hold the event. */
const HEAD_BYTES = 65_536

/** Throws `too_large` for an event that the head could not hold. */
export function checkEventSize({ store }: Ground, bytes: number): void {
  const maxBytes = store.limits.maxRecBytes - HEAD_BYTES
  if (bytes <= maxBytes) return
  throw new KeepsakeError(
    'too_large',
    `The event has ${bytes} bytes; at most ${maxBytes} fit. Keep large content in a file or a record, and submit its name. Nothing was written.`,
    { details: { bytes, maxBytes } },
  )
}
