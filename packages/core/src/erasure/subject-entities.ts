import { HEAD_KEY } from '../chat/thread-keys.ts'
import { DIRECTORY_PREFIX } from '../lineage.ts'
import { walkRows } from '../migration/walk-rows.ts'
import { ownerEntity, subjectEntity, threadEntity, THREADS_AREA } from '../owner.ts'
import { decodeTuple, encodeTuple, type Key } from '../rows/keys.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'
import { decodeEnvelope, peekEnvelope } from '../values/envelope.ts'
import { segmentsOf } from './row-kind.ts'

/** An entity with rows of a person. */
export interface SubjectEntity {
  entity: string
  /** Whether all of it is theirs, or only the rows that say so. */
  whole: boolean
  /** What the directory says of it; left out: it does not name it. */
  listed: Row | undefined
}

/**
 * Every entity that has rows of a person: the owner's own, and all that the person's directory and list of threads name.
 * Costs a read of both, and of the head of each thread.
 */
export async function* subjectEntities(
  store: RowStore,
  subject: Key,
  options: CallOptions = {},
): AsyncGenerator<SubjectEntity> {
  const own = ownerEntity(subject)
  const listed = new Set<string>()
  for await (const row of walkRows(store, subjectEntity(subject), { prefix: DIRECTORY_PREFIX, ...options })) {
    const [, entity = ''] = decodeTuple(row.key)
    listed.add(entity)
    yield { entity, whole: await isWhole(store, entity, subject, options), listed: row }
  }
  for await (const { key } of walkRows(store, own, { prefix: encodeTuple([THREADS_AREA]), ...options })) {
    const entity = threadEntity(decodeTuple(key)[2]!)
    if (listed.has(entity)) continue
    listed.add(entity)
    yield { entity, whole: await isWhole(store, entity, subject, options), listed: undefined }
  }
  if (!listed.has(own)) yield { entity: own, whole: true, listed: undefined }
}

/** Whether an entity is the subject's own: then all of it goes, also what does not say whose it is. */
async function isWhole(store: RowStore, entity: string, subject: Key, options: CallOptions): Promise<boolean> {
  if (entity === ownerEntity(subject)) return true
  const [kind] = segmentsOf(entity)
  // An engine registers its entity for the one whose it is, and for nobody else.
  if (kind === 'entity') return true
  if (kind !== 'thread') return false
  const [head] = await store.load([{ entity, key: HEAD_KEY }], options)
  // Of a thread that was cleared, or that a run has not begun to write to, nothing is shown to anybody.
  if (head === undefined || head.rec.length === 0) return true
  const { value, owner, subject: about } = decodeEnvelope(head.rec)
  const whose = owner ?? about
  if (whose === undefined) return (value as { live?: unknown }).live !== true
  return encodeTuple(whose) === encodeTuple(subject)
}

/** Whether a row in an entity of somebody else's is the subject's data, as its envelope says. */
export function isAbout(row: Row, subject: Key): boolean {
  const lineage = peekEnvelope(row.rec)
  const whose = lineage?.subject ?? lineage?.owner
  return whose !== undefined && encodeTuple(whose) === encodeTuple(subject)
}
