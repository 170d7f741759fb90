import type { Clock } from '../clock.ts'
import { decodeEnvelope, encodeEnvelope } from '../values/envelope.ts'
import { KeepsakeError } from '../errors.ts'
import type { CallOptions, RowId, RowStore, RowWrite } from '../rows/row-store.ts'

/** What a store says of itself while another is moved into it: from the first `migrateRows` until its final pass is done. */
export interface MigrationMark {
  /** What names the store that is moved, as `migrateRows` was told. */
  source: string
  /** Unix milliseconds. */
  startedAtMs: number
  /** Rows that the source had when it began. */
  rows: number
  /** The pass that is under way, or comes next; the first is 1. */
  pass: number
  /** How many rows this pass has been through. */
  done: number
  /** The last of them; left out where there is none. */
  after?: RowId
}

/** The entity that holds the mark and nothing else: `encodeTuple(['keepsake', 'migration'])`. */
export const MIGRATION_ENTITY = 'keepsake\u0001migration\u0001'
const MARK: RowId = { entity: MIGRATION_ENTITY, key: 'mark\u0001' }

/**
 * The mark of a store that another one is being moved into; `undefined` for one that is not. What a marked store has is
 * not complete, and what is written to it by others is removed by the final pass: do not run on it. Costs one round trip.
 */
export async function migrationMark(store: RowStore, options?: CallOptions): Promise<MigrationMark | undefined> {
  return (await readMark(store, options))?.mark
}

/** The mark, in the hands of the one process that moves the rows. */
export interface MarkKeeper {
  readonly mark: MigrationMark
  /** Rejects with `conflict` if another process has taken over. */
  save(mark: MigrationMark): Promise<void>
  remove(): Promise<void>
}

/** Makes the mark. Rejects with `conflict` if there is one. */
export async function createMark(
  store: RowStore,
  clock: Clock,
  mark: MigrationMark,
  options?: CallOptions,
): Promise<MarkKeeper> {
  const seq = clock.nextSeq()
  await writeMark(store, { ...toRow(mark, seq, clock), guard: 'absent' }, options)
  return keepMark(store, clock, { mark, seq }, options)
}

/** Takes over the mark that is there. */
export async function findMark(store: RowStore, clock: Clock, options?: CallOptions): Promise<MarkKeeper | undefined> {
  const found = await readMark(store, options)
  return found && keepMark(store, clock, found, options)
}

interface FoundMark {
  mark: MigrationMark
  seq: number
}

async function readMark(store: RowStore, options: CallOptions | undefined): Promise<FoundMark | undefined> {
  const [row] = await store.load([MARK], options)
  return row && { mark: decodeEnvelope(row.rec).value as unknown as MigrationMark, seq: row.seq }
}

function keepMark(store: RowStore, clock: Clock, { mark, seq }: FoundMark, options?: CallOptions): MarkKeeper {
  return {
    get mark() {
      return mark
    },
    async save(next) {
      const nextSeq = clock.nextSeq(seq)
      await writeMark(store, { ...toRow(next, nextSeq, clock), guard: { seq } }, options)
      mark = next
      seq = nextSeq
    },
    async remove() {
      await store.remove([{ ...MARK, seq }], options)
    },
  }
}

function toRow({ after, ...rest }: MigrationMark, seq: number, clock: Clock): RowWrite {
  const value = { ...rest, ...(after !== undefined && { after: { ...after } }) }
  const nowMs = clock.nowMs()
  // Two processes may begin in the same moment: by its id, each write is its writer's own.
  const rec = encodeEnvelope({ value, createdAtMs: nowMs, writeIds: [clock.newId()] })
  return { ...MARK, seq, rec, updatedAtMs: nowMs }
}

async function writeMark(store: RowStore, row: RowWrite, options: CallOptions | undefined): Promise<void> {
  const [result] = await store.write([row], options)
  if (result!.status === 'applied') return
  throw new KeepsakeError(
    'conflict',
    'Another process is moving rows into the same store. Let it finish, or end it and go on from where it was.',
  )
}
