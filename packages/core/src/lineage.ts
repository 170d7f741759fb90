import type { Clock } from './clock.ts'
import { encodeEnvelope } from './values/envelope.ts'
import { encodeTuple, type Key } from './rows/keys.ts'
import { subjectEntity } from './owner.ts'
import type { CallOptions, RowStore } from './rows/row-store.ts'

/** A process trusts its own registrations for so long, so that one that was erased meanwhile is made again. */
export const REGISTRATION_MS = 60_000
const MAX_REMEMBERED = 10_000

/** Which registrations this process has made, by store: `subject entity + row entity` -> when. */
const registered = new WeakMap<RowStore, Map<string, number>>()

/**
 * Writes that `entity` holds rows of `subject`, before the first of them is written, so that all of a person's rows can
 * be found. Costs one write for an entity that this process has not registered in the last minute, else nothing.
 */
export async function registerSubject(
  store: RowStore,
  subject: Key,
  entities: readonly string[],
  clock: Clock,
  options: CallOptions = {},
): Promise<void> {
  const directory = subjectEntity(subject)
  const nowMs = clock.nowMs()
  const known = remembered(store)
  const missing = entities.filter((entity) => {
    const at = known.get(directory + entity)
    return at === undefined || nowMs - at >= REGISTRATION_MS || nowMs < at
  })
  if (missing.length === 0) return
  const rec = encodeEnvelope({ value: null, createdAtMs: nowMs, owner: subject })
  await store.write(
    missing.map((entity) => ({
      entity: directory,
      key: encodeTuple(['e', entity]),
      seq: clock.nextSeq(),
      rec,
      updatedAtMs: nowMs,
      guard: 'absent',
    })),
    options,
  )
  if (known.size >= MAX_REMEMBERED) known.clear()
  for (const entity of missing) known.set(directory + entity, nowMs)
}

function remembered(store: RowStore): Map<string, number> {
  let known = registered.get(store)
  if (known === undefined) registered.set(store, (known = new Map()))
  return known
}
