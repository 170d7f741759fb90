import { placeOfMessageId } from '../chat/thread-keys.ts'
import { DERIVED_ENTITY, DIRECTORY_PREFIX } from '../lineage.ts'
import { walkRows } from '../migration/walk-rows.ts'
import { decodeTuple, encodeTuple, type Key } from '../rows/keys.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'
import { holderOfSource, sourceText } from '../sources.ts'
import { segmentsOf } from './row-kind.ts'
import { peekEnvelope } from '../values/envelope.ts'

/** What a person's memory is called in the `sources` of others' records. */
export interface SubjectNames {
  subject: Key
  /** Ids of their threads. */
  threads: Set<string>
  /** Ids that were given here to messages of theirs: unlike callers' own, they are nobody else's. */
  messages: Set<string>
  /** Records of others that were derived from those, as `sourceText` writes them: what was derived from them goes too. */
  derived: Set<string>
}

/** Rows in others' entities that were derived from what is the subject's. Reads every entity that has derived rows. */
export async function* derivedRows(
  store: RowStore,
  names: SubjectNames,
  skip: ReadonlySet<string>,
  options: CallOptions,
): AsyncGenerator<Row> {
  for await (const { key } of walkRows(store, DERIVED_ENTITY, { prefix: DIRECTORY_PREFIX, ...options })) {
    const [, entity = ''] = decodeTuple(key)
    if (skip.has(entity)) continue
    for await (const row of walkRows(store, entity, options)) {
      if (peekEnvelope(row.rec)?.sources?.some((source) => isTheirs(source, names))) yield row
    }
  }
}

function isTheirs(source: string, { subject, threads, messages, derived }: SubjectNames): boolean {
  if (threads.has(source) || messages.has(source) || derived.has(source)) return true
  const holder = holderOfSource(source)
  if (holder === undefined) return false
  return 'thread' in holder ? threads.has(holder.thread) : holder.owner === encodeTuple(subject)
}

/** Takes up what a derived record is called itself. */
export function addDerived(derived: Set<string>, { entity, key }: Row): void {
  const [kind, ...owner] = segmentsOf(entity)
  const [area, ...record] = segmentsOf(key)
  if (kind === 'owner' && area === 'r') derived.add(sourceText({ owner, record }))
  if (kind === 'owner' && area === 'f') derived.add(sourceText({ owner, file: `/${record.join('/')}` }))
}

/** Takes up the ids of the messages that a row holds, as far as they were given here. */
export function addMessageIds(messages: Set<string>, value: unknown): void {
  const list = Array.isArray(value) ? value : (value as { messages?: unknown } | null)?.messages
  if (!Array.isArray(list)) return
  for (const message of list as ({ id?: unknown } | null)[]) {
    const id = message?.id
    if (typeof id === 'string' && placeOfMessageId(id) !== undefined) messages.add(id)
  }
}
