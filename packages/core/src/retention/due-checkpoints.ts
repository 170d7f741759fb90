import { headKeysOf } from '../erasure/erased-heads.ts'
import { walkEntities, walkRows } from '../migration/walk-rows.ts'
import { descending, encodeTuple } from '../rows/keys.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'
import { decodeEnvelope } from '../values/envelope.ts'
import { seqAt } from './seq-at.ts'

interface Ref {
  s: number
  ep: number
}

/** What of the engine's rows says which commits are needed. */
type MemoryRef = Ref & { snapshot?: Ref }
interface Head {
  committed?: Ref
  memory?: MemoryRef
  said?: Ref
  cleanS?: number
}
interface Commit {
  eventId?: string
  memory?: MemoryRef
}

const COMMITS = encodeTuple(['c'])
const SNAPSHOTS = encodeTuple(['w'])

/**
 * Commits and snapshots that are due: those that the head, a younger commit or an event that is still known names stay, and
 * with them all that a state is put together from. Where the engine's own clean-up has not been, everything stays.
 */
export async function* dueCheckpoints(
  store: RowStore,
  untilMs: number,
  nowMs: number,
  call: CallOptions,
): AsyncGenerator<Row> {
  for (const kind of ['entity', 'thread']) {
    for await (const entity of walkEntities(store, { prefix: encodeTuple([kind]), ...call })) {
      const [headRow] = await store.load([{ entity, key: headKeysOf(entity).at(-1)! }], call)
      if (headRow === undefined || headRow.rec.length === 0) continue
      // Commits are in the order of time, newest first.
      const [oldest] = await store.scan(
        entity,
        { prefix: COMMITS, after: COMMITS + descending(seqAt(untilMs)), limit: 1 },
        call,
      )
      if (oldest === undefined) continue
      yield* dueOfEntity(store, entity, decodeEnvelope(headRow.rec).value as Head, { untilMs, nowMs, call })
    }
  }
}

async function* dueOfEntity(
  store: RowStore,
  entity: string,
  head: Head,
  { untilMs, nowMs, call }: { untilMs: number; nowMs: number; call: CallOptions },
): AsyncGenerator<Row> {
  const needed = new Set<string>()
  const need = (ref: Ref | undefined, area: string): void => {
    if (ref !== undefined) needed.add(area + descending(ref.s) + '\u0001' + String(ref.ep) + '\u0001')
  }
  const needMemory = (memory: MemoryRef | undefined): void => {
    need(memory, COMMITS)
    need(memory?.snapshot, SNAPSHOTS)
  }
  need(head.committed, COMMITS)
  need(head.said, COMMITS)
  needMemory(head.memory)
  const due: { row: Row; commit: Commit }[] = []
  for await (const row of walkRows(store, entity, { prefix: COMMITS, ...call })) {
    const commit = decodeEnvelope(row.rec).value as Commit
    if (row.updatedAtMs <= untilMs && row.seq < (head.cleanS ?? 0)) due.push({ row, commit })
    else needMemory(commit.memory)
  }
  if (due.length === 0) return
  const events = await store.load(
    due.map(({ commit }) => ({ entity, key: encodeTuple(['e', commit.eventId ?? '']) })),
    call,
  )
  const known = (event: Row | undefined): boolean => event !== undefined && (event.expiresAtMs ?? Infinity) > nowMs
  const gone = due.filter(({ row }, index) => !needed.has(row.key) && !known(events[index]))
  const goneKeys = new Set(gone.map(({ row }) => row.key))
  // What stays of the due ones needs its memory too.
  for (const { row, commit } of due) if (!goneKeys.has(row.key)) needMemory(commit.memory)
  for (const { row } of gone) if (!needed.has(row.key)) yield row
  for await (const row of walkRows(store, entity, { prefix: SNAPSHOTS, ...call })) {
    if (row.updatedAtMs <= untilMs && row.seq < (head.cleanS ?? 0) && !needed.has(row.key)) yield row
  }
}
