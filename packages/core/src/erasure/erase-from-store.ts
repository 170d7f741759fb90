import type { Clock } from '../clock.ts'
import { throwIfAborted } from '../errors.ts'
import { walkRows } from '../migration/walk-rows.ts'
import { DERIVED_ENTITY, DIRECTORY_PREFIX } from '../lineage.ts'
import { subjectEntity } from '../owner.ts'
import { encodeTuple, type Key } from '../rows/keys.ts'
import type { CallOptions, Row, RowId, RowStore } from '../rows/row-store.ts'
import { decodeEnvelope, encodeEnvelope, peekEnvelope } from '../values/envelope.ts'
import { auditRow } from './audit.ts'
import { batched } from '../batched.ts'
import { addDerived, addMessageIds, derivedRows, type SubjectNames } from './derived-rows.ts'
import { eraseHeads, headKeysOf } from './erased-heads.ts'
import { FENCE_KEY, fenceOver, isFenced } from './fence.ts'
import type { IndexEntries } from './index-entries.ts'
import { rowKind, segmentsOf } from './row-kind.ts'
import { isAbout, subjectEntities, type SubjectEntity } from './subject-entities.ts'
import { workRows } from './work-rows.ts'

export type Counts = Record<string, number>

export interface StoreErasure {
  store: RowStore
  subject: Key
  auditId: string
  dryRun: boolean
  graceMs: number
  clock: Clock
  /** Where rows may have entries. */
  entries: IndexEntries
  /** Told of rows before they go. */
  beforeRemove: ((rows: readonly RowId[]) => Promise<void> | void) | undefined
  onStep: (step: 'find' | 'remove' | 'wait' | 'finish', rows: number) => void
  call: CallOptions
}

const BATCH_ROWS = 500

/** What the fence of a directory holds: which erasure it is, and what it has counted. */
interface Fence {
  auditId: string
  beganAtMs: number
  counts: Counts
}

/** One store's part of an erasure. Goes on with one that was interrupted. Returns the counts, and the audit's id. */
export async function eraseFromStore(erasure: StoreErasure): Promise<{ counts: Counts; auditId: string }> {
  const { store, dryRun, clock, call, onStep } = erasure
  if (dryRun) return { counts: await countRows(erasure), auditId: '' }
  const fence = await raiseFence(erasure)
  const state: Pass = { ...erasure, fence, names: emptyNames(erasure.subject), entities: new Map(), fenced: new Map() }
  do {
    await passUntilNothing(state)
    onStep('finish', total(fence.counts))
    await lowerFences(state)
    // Whoever registered since the last pass and died before it met the fence.
  } while ((await store.scan(subjectEntity(erasure.subject), { prefix: DIRECTORY_PREFIX, limit: 1 }, call)).length > 0)
  await store.write([await auditRow(fence.auditId, erasure.subject, fence, clock)], call)
  const id = fenceId(erasure.subject)
  // By its version: landing late, it takes no fence away that another erasure has raised.
  const [last] = await store.load([id], call)
  if (last !== undefined) await store.remove([{ ...id, seq: last.seq }], call)
  return { counts: fence.counts, auditId: fence.auditId }
}

/** What was written before its writer could see the fence has landed after `graceMs`: a pass after that is the proof. */
async function passUntilNothing(pass: Pass): Promise<void> {
  const { graceMs, call, onStep, fence } = pass
  for (let first = true; ; first = false) {
    const found = await runPass(pass)
    if (found === 0 && (!first || graceMs === 0)) return
    onStep('wait', total(fence.counts))
    await wait(graceMs, call.signal)
  }
}

interface Pass extends StoreErasure {
  fence: Fence
  names: SubjectNames
  /** Those that are fenced, and whether all of their rows go. */
  entities: Map<string, boolean>
  /** With which version the directory names them. */
  fenced: Map<string, number>
}

/** The fence of the directory, or the one that is there. First of all: from here on nothing new is registered. */
async function raiseFence({ store, subject, auditId, clock, call }: StoreErasure): Promise<Fence> {
  const id = fenceId(subject)
  const fence = { auditId, beganAtMs: clock.nowMs(), counts: {} }
  const [result] = await store.write([{ ...fenceRow(id, fence, clock), guard: 'absent' }], call)
  if (result!.status === 'applied') return fence
  const [row] = await store.load([id], call)
  const before = row === undefined || row.rec.length === 0 ? fence : (decodeEnvelope(row.rec).value as unknown as Fence)
  // Under a version of ours: what an erasure that was killed had still sent may not lower it.
  await store.write([{ ...fenceRow(id, before, clock), seq: clock.nextSeq(row?.seq) }], call)
  return before
}

const fenceId = (subject: Key): RowId => ({ entity: subjectEntity(subject), key: FENCE_KEY })

function fenceRow(id: RowId, fence: Fence, clock: Clock) {
  const nowMs = clock.nowMs()
  const rec = encodeEnvelope({ value: fence as never, createdAtMs: nowMs, writeIds: [clock.newId()] })
  return { ...id, seq: clock.nextSeq(), rec, updatedAtMs: nowMs }
}

/** One look at all that there is. Returns how much was found. */
async function runPass(pass: Pass): Promise<number> {
  const { store, subject, entities, names, call } = pass
  const before = total(pass.fence.counts)
  let newFences = 0
  for await (const one of subjectEntities(store, subject, call)) {
    if (!isFenced(one.listed?.seq) || !entities.has(one.entity)) {
      newFences += (await fenceEntity(pass, one)) ? 1 : 0
    }
    entities.set(one.entity, one.whole)
    // What others derived from it is found by its names: they have to be known before it goes.
    if (one.whole && segmentsOf(one.entity)[0] === 'thread') names.threads.add(segmentsOf(one.entity)[1]!)
    const others = new Map<string, RowId>()
    for await (const row of theirRows(pass, one.entity, one.whole)) {
      takeNames(names, row)
      if (one.whole) takeMark(others, row, subject)
    }
    // Others' directories name the entity because of rows that go with it.
    await removeAll(pass, loadAll(store, [...others.values()], call))
  }
  const whole = wholeOnes(entities)
  for (let last = -1; last !== names.derived.size;) {
    last = names.derived.size
    await removeAll(pass, named(names, derivedRows(store, names, whole, call)), 'derived')
  }
  await removeAll(pass, workRows(store, whole, call))
  for (const [entity, all] of entities) await removeAll(pass, theirRows(pass, entity, all))
  return total(pass.fence.counts) - before + newFences
}

/** Fences one entity. Returns whether anything of it was open. */
async function fenceEntity({ store, subject, clock, call, fence, fenced }: Pass, one: SubjectEntity): Promise<boolean> {
  const key = DIRECTORY_PREFIX + encodeTuple([one.entity])
  const nowMs = clock.nowMs()
  const rec = encodeEnvelope({ value: null, createdAtMs: nowMs, owner: subject })
  const wasFenced = isFenced(one.listed?.seq)
  const mark = { entity: subjectEntity(subject), key, seq: fenceOver(one.listed?.seq), rec, updatedAtMs: nowMs }
  await store.write([mark], call)
  fenced.set(one.entity, mark.seq)
  const heads = one.whole ? await eraseHeads(store, one.entity, subject, clock, call) : []
  for (const head of heads) count(fence.counts, rowKind(one.entity, head))
  if (one.listed !== undefined && !wasFenced) count(fence.counts, 'directory')
  return !wasFenced || heads.length > 0
}

/** The rows of an entity that are to go. Heads stay until the end: they are the fence. */
async function* theirRows(
  { store, subject, call }: Pick<Pass, 'store' | 'subject' | 'call'>,
  entity: string,
  whole: boolean,
): AsyncGenerator<Row> {
  const heads = whole ? headKeysOf(entity) : []
  for await (const row of walkRows(store, entity, call)) {
    if (whole ? !heads.includes(row.key) : isAbout(row, subject)) yield row
  }
}

function takeNames({ messages }: SubjectNames, row: Row): void {
  if (rowKind(row.entity, row.key) !== 'messages' || row.rec.length === 0) return
  addMessageIds(messages, decodeEnvelope(row.rec).value)
}

/** Takes up the directory row of somebody else's whose data are in an entity that goes. */
function takeMark(others: Map<string, RowId>, { entity, rec }: Row, subject: Key): void {
  const about = peekEnvelope(rec)?.subject
  if (about === undefined || encodeTuple(about) === encodeTuple(subject)) return
  const directory = subjectEntity(about)
  others.set(directory, { entity: directory, key: DIRECTORY_PREFIX + encodeTuple([entity]) })
}

async function removeAll(pass: Pass, rows: AsyncIterable<Row>, kind?: string): Promise<void> {
  const { store, subject, fence, clock, call, onStep } = pass
  for await (const batch of batched(rows, BATCH_ROWS)) {
    throwIfAborted(call.signal)
    await pass.entries.remove(batch, (entity) => pass.entities.get(entity) === true)
    await pass.beforeRemove?.(batch.map(({ entity, key }) => ({ entity, key })))
    // By version: what was changed since it was read is met again by the next pass.
    const removed = await store.remove(batch, call)
    if (removed === 0) continue
    const left = removed === batch.length ? [] : await store.load(batch, call)
    const gone = batch.filter((_, index) => left[index] === undefined)
    for (const { entity, key } of gone) count(fence.counts, kind ?? rowKind(entity, key))
    await store.write([fenceRow(fenceId(subject), fence, clock)], call)
    onStep('remove', total(fence.counts))
  }
}

/** The heads, then what the directory says, and the fence of the directory last. */
async function lowerFences(pass: Pass): Promise<void> {
  const { store, subject, entities, fenced, call } = pass
  await pass.entries.finish(wholeOnes(entities))
  for (const entity of wholeOnes(entities)) {
    const keys = headKeysOf(entity)
    if (keys.length > 0) {
      await store.remove(
        keys.map((key) => ({ entity, key })),
        call,
      )
    }
  }
  const marks = Array.from(fenced, ([entity, seq]) => ({
    entity: subjectEntity(subject),
    key: DIRECTORY_PREFIX + encodeTuple([entity]),
    seq,
  }))
  for (let from = 0; from < marks.length; from += BATCH_ROWS) {
    await store.remove(marks.slice(from, from + BATCH_ROWS), call)
  }
  await removeAll(pass, derivedMarks(store, wholeOnes(entities), call))
}

/** What says that these entities have rows that were derived from others'. */
function derivedMarks(store: RowStore, entities: Iterable<string>, call: CallOptions): AsyncGenerator<Row> {
  const ids = [...entities].map((entity) => ({ entity: DERIVED_ENTITY, key: DIRECTORY_PREFIX + encodeTuple([entity]) }))
  return loadAll(store, ids, call)
}

async function* loadAll(store: RowStore, ids: readonly RowId[], call: CallOptions): AsyncGenerator<Row> {
  for (let from = 0; from < ids.length; from += BATCH_ROWS) {
    for (const row of await store.load(ids.slice(from, from + BATCH_ROWS), call)) if (row !== undefined) yield row
  }
}

async function* named(names: SubjectNames, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  for await (const row of rows) {
    addDerived(names.derived, row)
    yield row
  }
}

/** What an erasure would remove now. Writes nothing. */
async function countRows({ store, subject, call, onStep }: StoreErasure): Promise<Counts> {
  const counts: Counts = {}
  const names = emptyNames(subject)
  const entities = new Map<string, boolean>()
  for await (const { entity, whole, listed } of subjectEntities(store, subject, call)) {
    entities.set(entity, whole)
    if (listed !== undefined) count(counts, 'directory')
    if (whole && segmentsOf(entity)[0] === 'thread') names.threads.add(segmentsOf(entity)[1]!)
    const others = new Map<string, RowId>()
    for await (const row of walkRows(store, entity, call)) {
      if (!whole && !isAbout(row, subject)) continue
      count(counts, rowKind(entity, row.key))
      takeNames(names, row)
      if (whole) takeMark(others, row, subject)
    }
    for await (const row of loadAll(store, [...others.values()], call)) count(counts, rowKind(row.entity, row.key))
    onStep('find', total(counts))
  }
  const whole = wholeOnes(entities)
  const derived = new Set<string>()
  for (let last = -1; last !== names.derived.size;) {
    last = names.derived.size
    for await (const { entity, key } of named(names, derivedRows(store, names, whole, call))) {
      derived.add(encodeTuple([entity, key]))
    }
  }
  if (derived.size > 0) counts['derived'] = derived.size
  for await (const { entity, key } of workRows(store, whole, call)) count(counts, rowKind(entity, key))
  for await (const { entity, key } of derivedMarks(store, whole, call)) count(counts, rowKind(entity, key))
  return counts
}

function emptyNames(subject: Key): SubjectNames {
  return { subject, threads: new Set(), messages: new Set(), derived: new Set() }
}

function wholeOnes(entities: ReadonlyMap<string, boolean>): Set<string> {
  return new Set([...entities].filter(([, whole]) => whole).map(([entity]) => entity))
}

function count(counts: Counts, kind: string): void {
  counts[kind] = (counts[kind] ?? 0) + 1
}

function total(counts: Counts): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0)
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  throwIfAborted(signal)
  if (ms === 0) return Promise.resolve()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(end, ms)
  function end(): void {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
    try {
      throwIfAborted(signal)
      resolve()
    } catch (error) {
      reject(error)
    }
  }
  signal?.addEventListener('abort', end, { once: true })
  return promise
}
