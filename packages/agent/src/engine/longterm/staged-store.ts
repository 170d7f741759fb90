import {
  compareUtf8,
  decideWrite,
  LISTED_SEQ,
  type Clock,
  type Row,
  type RowStore,
  type RowWrite,
  type Storable,
} from '@keepsake/core'
import { partialStore } from '../memory/partial-store.ts'

/** Reads something from outside the activation: journaled, and served again to a replay. */
export type Outside = (read: () => Promise<Storable>) => Promise<Storable>

/** What an activation wants to have written in long-term memory, newest state of each key. */
export interface Staged {
  rows: Map<string, RowWrite>
  /** Entities of the directories that have to name the owner's entity. */
  directories: Set<string>
}

/**
 * Long-term memory with the activation's own writes over it: reads see them, in order and up to exactly the limit, and
 * nothing is written before the activation is decided.
 */
export function stagedStore(store: RowStore, entity: string, staged: Staged, outside: Outside): RowStore {
  /** What was stored when it was read, for the guards of writes that follow. */
  const known = new Map<string, Row | undefined>()

  async function loadStored(keys: readonly string[]): Promise<(Row | undefined)[]> {
    const read = await outside(async () => {
      const rows = await store.load(keys.map((key) => ({ entity, key })))
      return rows.map((row) => (row === undefined ? null : pack(row)))
    })
    const rows = (read as (PackedRow | null)[]).map((row) => (row === null ? undefined : unpack(entity, row)))
    for (const [index, key] of keys.entries()) known.set(key, rows[index])
    return rows
  }

  return partialStore({
    name: 'longterm',
    limits: store.limits,
    async load(ids) {
      const missing = [...new Set(ids.map(({ key }) => key).filter((key) => !staged.rows.has(key)))]
      const loaded = missing.length === 0 ? [] : await loadStored(missing)
      const byKey = new Map(missing.map((key, index) => [key, loaded[index]]))
      return ids.map(({ key }) => staged.rows.get(key) ?? byKey.get(key))
    },
    async scan(_entity, { prefix = '', after, limit }) {
      const range = { prefix, limit, ...(after !== undefined && { after }) }
      const read = await outside(async () => (await store.scan(entity, range)).map(pack))
      const stored = (read as unknown as PackedRow[]).map((row) => unpack(entity, row))
      for (const row of stored) known.set(row.key, row)
      // Past the last stored row of a full page there may be more stored ones, which come first.
      const end = stored.length < limit ? undefined : stored.at(-1)!.key
      const own = [...staged.rows.values()].filter(
        ({ key }) =>
          key.startsWith(prefix) &&
          (after === undefined || compareUtf8(key, after) > 0) &&
          (end === undefined || compareUtf8(key, end) <= 0),
      )
      const merged = new Map<string, Row>([...stored, ...own].map((row) => [row.key, row]))
      return [...merged.values()].toSorted((a, b) => compareUtf8(a.key, b.key)).slice(0, limit)
    },
    async write(rows) {
      return rows.map((write) => {
        if (write.entity !== entity) {
          staged.directories.add(write.entity)
          // As if it were there: it is written with the plan.
          return { status: 'stale', seq: LISTED_SEQ }
        }
        const current = staged.rows.get(write.key) ?? known.get(write.key)
        // A blind put wins over whatever is stored; its stamp is made when the activation is decided.
        const result = write.guard === 'monotonic' ? ({ status: 'applied' } as const) : decideWrite(current, write)
        if (result.status === 'applied') staged.rows.set(write.key, { ...write, rec: write.rec.slice() })
        return result
      })
    },
  })
}

/** The clock of staged records: the activation's time, and its version wherever that is free. */
export function stagingClock(clock: Clock, s: number, nowMs: number): Clock {
  return { nowMs: () => nowMs, nextSeq: (after = 0) => Math.max(s, after + 1), newId: () => clock.newId() }
}

interface PackedRow {
  k: string
  s: number
  r: Uint8Array
  u: number
  x?: number
}

function pack({ key, seq, rec, updatedAtMs, expiresAtMs }: Row): { [key: string]: Storable } {
  return { k: key, s: seq, r: rec, u: updatedAtMs, ...(expiresAtMs !== undefined && { x: expiresAtMs }) }
}

function unpack(entity: string, { k, s, r, u, x }: PackedRow): Row {
  return { entity, key: k, seq: s, rec: r, updatedAtMs: u, ...(x !== undefined && { expiresAtMs: x }) }
}
