import type { Clock } from './clock.ts'
import { encodeEnvelope } from './values/envelope.ts'
import { encodeTuple, type Key } from './rows/keys.ts'
import { subjectEntity } from './owner.ts'
import type { CallOptions, RowStore, RowWrite } from './rows/row-store.ts'

const MAX_REMEMBERED = 10_000

/** Which directory rows this process has written, by store. They may be gone since. */
const written = new WeakMap<RowStore, Set<string>>()

/**
 * Writes that `entities` hold rows of `subject`, before the first of them is written, so that all of a person's rows can be
 * found. Costs one write.
 */
export async function registerSubject(
  store: RowStore,
  subject: Key,
  entities: readonly string[],
  clock: Clock,
  options: CallOptions = {},
): Promise<void> {
  await store.write(
    entities.map((entity) => directoryRow(subject, entity, clock)),
    options,
  )
}

/**
 * The rows that say that `entity` holds rows of `subjects`, to be put before those in the same `write`. One that this
 * process has not written yet is written here, by itself: only then is it certain to be there first. The others are
 * there, unless a transaction was rolled back, the subject erased or the store emptied; therefore they are sent again.
 */
export async function directoryRows(
  store: RowStore,
  subjects: readonly Key[],
  entity: string,
  clock: Clock,
  options: CallOptions = {},
): Promise<RowWrite[]> {
  const known = writtenTo(store)
  const byId = new Map(subjects.map((subject) => [encodeTuple([subjectEntity(subject), entity]), subject]))
  const rowsOf = (ids: readonly string[]): RowWrite[] => ids.map((id) => directoryRow(byId.get(id)!, entity, clock))
  const { known: again = [], missing = [] } = Object.groupBy(byId.keys(), (id) => (known.has(id) ? 'known' : 'missing'))
  if (missing.length > 0) {
    await store.write(rowsOf(missing), options)
    if (known.size + missing.length > MAX_REMEMBERED) known.clear()
    for (const id of missing) known.add(id)
  }
  return rowsOf(again)
}

function directoryRow(subject: Key, entity: string, clock: Clock): RowWrite {
  const nowMs = clock.nowMs()
  return {
    entity: subjectEntity(subject),
    key: encodeTuple(['e', entity]),
    seq: clock.nextSeq(),
    rec: encodeEnvelope({ value: null, createdAtMs: nowMs, owner: subject }),
    updatedAtMs: nowMs,
    guard: 'absent',
  }
}

function writtenTo(store: RowStore): Set<string> {
  let known = written.get(store)
  if (known === undefined) written.set(store, (known = new Set()))
  return known
}
