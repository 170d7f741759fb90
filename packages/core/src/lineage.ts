import { backoff } from './backoff.ts'
import type { Clock } from './clock.ts'
import { beingErased, FENCE_KEY, isFenced, LISTED_SEQ } from './erasure/fence.ts'
import { encodeEnvelope } from './values/envelope.ts'
import { decodeTuple, encodeTuple, type Key } from './rows/keys.ts'
import { subjectEntity } from './owner.ts'
import type { CallOptions, RowStore, RowWrite, WriteResult } from './rows/row-store.ts'

const MAX_REMEMBERED = 10_000

/** Which directory rows this process has written, with their versions, by store. They may be gone since. */
const written = new WeakMap<RowStore, Map<string, number>>()

/** The entity that names every entity with rows that were derived from others: all that an erasure has to look through. */
export const DERIVED_ENTITY: string = encodeTuple(['derived'])

/** Begins the keys of a directory: what follows is an entity. */
export const DIRECTORY_PREFIX: string = encodeTuple(['e'])

/**
 * Writes that `entities` hold rows of `subject`, before the first of them is written, so that all of a person's rows can be
 * found. Costs one write, and one read where that was new. Throws `conflict` while the subject is being erased.
 */
export async function registerSubject(
  store: RowStore,
  subject: Key,
  entities: readonly string[],
  clock: Clock,
  options: CallOptions = {},
): Promise<void> {
  await register(
    store,
    entities.map((entity) => directoryRow(subjectEntity(subject), entity, clock, subject)),
    options,
  )
}

/** Whose rows are written where. */
export interface Registration {
  entity: string
  /** Whose personal data the rows are, and whose the entity is. */
  subjects: readonly Key[]
  /** Whether some of the rows name sources. */
  derived?: boolean
}

/**
 * Writes rows of one entity so that they are found when a person in `subjects` is erased, and are not there once that is
 * done: their directory rows go first and in the same call, and their answers say whether a subject is being erased. Then
 * what was written is removed again, and `conflict` is thrown. No further round trip, but where a directory row is new.
 *
 * `send` writes the rows: by default `store.write`. Returns the results of `writes`.
 */
export async function writeRegistered(
  store: RowStore,
  registration: Registration,
  writes: readonly RowWrite[],
  clock: Clock,
  options: CallOptions = {},
  send: (rows: readonly RowWrite[]) => Promise<WriteResult[]> = (rows) => store.write(rows, options),
): Promise<WriteResult[]> {
  const { again, fresh } = await directoryRows(store, registration, clock, options)
  const all = await send([...again, ...writes])
  const results = all.slice(again.length)
  try {
    const verdict = await verdictOf(store, again, all, options)
    if (verdict === 'fenced') throw beingErased()
    if (verdict === 'again') await register(store, again, options)
  } catch (error) {
    const applied = writes.filter((_, index) => results[index]!.status === 'applied')
    // Where all of the entity goes, nobody else's rows are in it either: no directory need name it.
    const named = again.some((row, index) => meetsFence(all[index]!) && isOwners(row, registration.entity)) ? fresh : []
    await store.remove([...applied, ...named], options)
    throw error
  }
  return results
}

function meetsFence(result: WriteResult): boolean {
  return result.status === 'stale' && isFenced(result.seq)
}

const idOf = ({ entity, key }: RowWrite): string => encodeTuple([entity, key])

/** The entity that a directory row names. */
function entityOf({ key }: RowWrite): string {
  return decodeTuple(key)[1]!
}

/** Whether a directory row is in the directory of the one whose the entity is. */
function isOwners(row: RowWrite, entity: string): boolean {
  return encodeTuple(['owner']) + row.entity.slice(encodeTuple(['subject']).length) === entity
}

/**
 * The rows that say where rows of `subjects` are, to be put before those in the same `write`. One that this process has not
 * written yet is written here, by itself: only then is it certain to be there first. The others are there, unless a
 * transaction was rolled back, the subject erased or the store emptied; therefore they are sent again.
 */
async function directoryRows(
  store: RowStore,
  { entity, subjects, derived = false }: Registration,
  clock: Clock,
  options: CallOptions,
): Promise<{ again: RowWrite[]; fresh: RowWrite[] }> {
  const known = writtenTo(store)
  const byId = new Map<string, RowWrite>()
  for (const subject of subjects) add(subjectEntity(subject), subject)
  if (derived) add(DERIVED_ENTITY)
  function add(directory: string, subject?: Key): void {
    const row = directoryRow(directory, entity, clock, subject)
    if (!byId.has(idOf(row))) byId.set(idOf(row), row)
  }
  const missing = [...byId].filter(([id]) => !known.has(id))
  const again = [...byId].filter(([id]) => known.has(id))
  const fresh = missing.map(([, row]) => row)
  if (missing.length > 0) {
    await register(store, fresh, options)
  }
  return { again: again.map(([, row]) => row), fresh }
}

async function register(store: RowStore, rows: readonly RowWrite[], options: CallOptions): Promise<void> {
  for (let attempt = 0; ; await backoff(++attempt, 'Registering a subject', options.signal)) {
    const results = await store.write(rows, options)
    const verdict = await verdictOf(store, rows, results, options)
    if (verdict === 'open') {
      const known = writtenTo(store)
      if (known.size + rows.length > MAX_REMEMBERED) known.clear()
      for (const row of rows) known.set(idOf(row), row.seq)
      return
    }
    if (verdict === 'again') continue
    const whole = rows.some((row, index) => meetsFence(results[index]!) && isOwners(row, entityOf(row)))
    if (whole) {
      await store.remove(
        rows.filter((_, index) => results[index]!.status === 'applied'),
        options,
      )
    }
    throw beingErased()
  }
}

/**
 * What the answers to directory rows say. A row that was there says by its version whether it is fenced. One that is new may
 * have come after an erasure listed the directory: then the directory's own fence says so, which was there before. So may
 * one that another has just made: it is kept for good first, or its maker, meeting the fence, would take it away under us.
 * A row that is gone again was removed by an erasure that ended: it is written `again`.
 */
async function verdictOf(
  store: RowStore,
  directory: readonly RowWrite[],
  results: readonly WriteResult[],
  options: CallOptions,
): Promise<'open' | 'fenced' | 'again'> {
  const fresh = directory.filter((_, index) => results[index]!.status === 'applied')
  const stored = results.slice(0, directory.length)
  if (stored.some(meetsFence)) return 'fenced'
  const known = writtenTo(store)
  const others = directory.flatMap((row, index) => {
    const result = stored[index]!
    if (result.status === 'applied' || result.seq === LISTED_SEQ) return []
    // Our own, which met no fence.
    if (result.seq === known.get(idOf(row))) return []
    return [{ ...row, seq: LISTED_SEQ, guard: { seq: result.seq } }]
  })
  if (fresh.length + others.length === 0) return 'open'
  if (others.length > 0) {
    const listed = await store.write(others, options)
    if (listed.some(({ status }) => status === 'stale')) return 'again'
  }
  const fences = [...new Set([...fresh, ...others].map(({ entity }) => entity))].map((entity) => ({
    entity,
    key: FENCE_KEY,
  }))
  const found = await store.load([...fences, ...fresh], options)
  const fenced = fences.filter((_, index) => found[index] !== undefined).map(({ entity }) => entity)
  if (fenced.length > 0) {
    await store.remove(
      fresh.filter(({ entity }) => fenced.includes(entity)),
      options,
    )
    return 'fenced'
  }
  const own = found.slice(fences.length)
  if (own.some((row) => isFenced(row?.seq))) return 'fenced'
  return own.includes(undefined) ? 'again' : 'open'
}

/** Bears an id of its own: the equal row of another writer would be taken for ours, and removed as ours. */
function directoryRow(directory: string, entity: string, clock: Clock, subject: Key | undefined): RowWrite {
  const nowMs = clock.nowMs()
  return {
    entity: directory,
    key: DIRECTORY_PREFIX + encodeTuple([entity]),
    seq: clock.nextSeq(),
    rec: encodeEnvelope({
      value: null,
      createdAtMs: nowMs,
      writeIds: [clock.newId()],
      ...(subject !== undefined && { owner: subject }),
    }),
    updatedAtMs: nowMs,
    guard: 'absent',
  }
}

function writtenTo(store: RowStore): Map<string, number> {
  let known = written.get(store)
  if (known === undefined) written.set(store, (known = new Map()))
  return known
}
