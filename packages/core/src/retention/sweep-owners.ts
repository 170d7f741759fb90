import { batched } from '../batched.ts'
import type { Clock } from '../clock.ts'
import { KeepsakeError } from '../errors.ts'
import { writeRegistered } from '../lineage.ts'
import { walkEntities, walkRows } from '../migration/walk-rows.ts'
import { DUE_AREA } from '../owner.ts'
import { decodeTuple, encodeTuple, type Key } from '../rows/keys.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'
import { decodeEnvelope, encodeEnvelope } from '../values/envelope.ts'

const OWNERS = encodeTuple(['owner'])
const OWNERS_AT_ONCE = 500
const ROWS_AT_ONCE = 250

interface SweepOwnersOptions {
  clock: Clock
  dryRun: boolean
  /** Looks at everybody's rows, whatever was noted. */
  full: boolean
  call: CallOptions
  /** When rows were last used, if that is not when they were written; `use` tells the notes of one way from another's. */
  used?: { use: string; lastMs: (rows: readonly Row[]) => Promise<number[]> }
}

const WRITTEN = { use: 'written', lastMs: async (rows: readonly Row[]) => rows.map((row) => row.updatedAtMs) }

/**
 * Gives `remove` the rows of every owner below a prefix of keys that were not used since `untilMs`; tombstones go by
 * themselves, and keep late duplicates away until then. Once that is done it is noted beside an owner's rows how old the
 * oldest is that was left: what is written later is younger, so the next sweeps pass over whom nothing can be due of.
 *
 * Reads the list of owners, one note for each, and the rows of those of whom some may be due.
 */
export async function sweepOwners(
  store: RowStore,
  area: Key,
  untilMs: number,
  remove: (rows: AsyncIterable<Row>) => Promise<void>,
  { clock, dryRun, full, call, used = WRITTEN }: SweepOwnersOptions,
): Promise<void> {
  const key = encodeTuple([DUE_AREA, used.use, ...area])
  const prefix = encodeTuple(area)

  for await (const owners of batched(walkEntities(store, { prefix: OWNERS, ...call }), OWNERS_AT_ONCE)) {
    const notes = await store.load(
      owners.map((entity) => ({ entity, key })),
      call,
    )
    const left: { entity: string; note: number | undefined; oldestMs: number }[] = []
    await remove(dueRows())
    if (dryRun) continue
    for (const { entity, note, oldestMs } of left)
      if (oldestMs !== (note ?? Infinity)) await noteOldest(entity, oldestMs)

    async function* dueRows(): AsyncGenerator<Row> {
      for (const [index, entity] of owners.entries()) {
        const note = notedMs(notes[index])
        if (!full && note !== undefined && note > untilMs) continue
        let oldestMs = Infinity
        for await (const rows of batched(walkRows(store, entity, { prefix, ...call }), ROWS_AT_ONCE)) {
          const live = rows.filter(({ rec }) => rec.length > 0)
          const times = await used.lastMs(live)
          for (const [at, row] of live.entries()) {
            if (times[at]! <= untilMs) yield row
            else oldestMs = Math.min(oldestMs, times[at]!)
          }
        }
        left.push({ entity, note, oldestMs })
      }
    }
  }

  async function noteOldest(entity: string, ms: number): Promise<void> {
    // Without rows there is nothing to pass over, and a note must not be all that is left of somebody.
    if (ms === Infinity) {
      await store.remove([{ entity, key }], call)
      return
    }
    const owner = decodeTuple(entity).slice(1)
    const nowMs = clock.nowMs()
    const rec = encodeEnvelope({ value: ms, createdAtMs: nowMs, owner })
    const row = { entity, key, seq: clock.nextSeq(), rec, updatedAtMs: nowMs }
    try {
      await writeRegistered(store, { entity, subjects: [owner] }, [row], clock, call)
    } catch (error) {
      // Whoever is being erased needs no note.
      if (!KeepsakeError.isInstance(error, 'conflict')) throw error
    }
  }
}

function notedMs(row: Row | undefined): number | undefined {
  return row === undefined || row.rec.length === 0 ? undefined : (decodeEnvelope(row.rec).value as number)
}
