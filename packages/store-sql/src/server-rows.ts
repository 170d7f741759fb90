import {
  decideWrite,
  isSameWrite,
  KeepsakeError,
  type Row,
  type RowId,
  type RowWrite,
  type WriteResult,
} from '@keepsake/core'
import { inPipelinedTransaction, inTransaction } from './transaction.ts'
import type { RowQueries } from './row-queries.ts'
import { toSegments, toWaves, type Segment } from './waves.ts'

// Each write that is done again was met by another writer in between; so often is no accident.
const MAX_ROUNDS = 50
const APPLIED: WriteResult = Object.freeze({ status: 'applied' })

type Load = RowQueries<unknown>['load']

/** The rows of `ids`, in their order. Those of one entity are read by one statement, if they are not too many. */
export async function loadRows<C>(
  queries: RowQueries<C>,
  connection: C,
  ids: readonly RowId[],
  load: Load = queries.load as Load,
): Promise<(Row | undefined)[]> {
  if (ids.length === 1) return [(await load(connection, ids[0]!.entity, [ids[0]!.key]))[0]]
  const found = new Map<string, Map<string, Row>>()
  const parts: (() => Promise<Row[]>)[] = []
  for (const [entity, group] of Map.groupBy(ids, (id) => id.entity)) {
    const keys = [...new Set(group.map(({ key }) => key))]
    for (const part of batches(keys, queries.maxKeys)) parts.push(() => load(connection, entity, part))
    found.set(entity, new Map())
  }
  for (const rows of await all(parts, queries.pipelines(connection))) {
    for (const row of rows) found.get(row.entity)!.set(row.key, row)
  }
  const given = new Set<Row>()
  return ids.map(({ entity, key }) => {
    const row = found.get(entity)!.get(key)
    if (row === undefined || !given.has(row)) {
      if (row !== undefined) given.add(row)
      return row
    }
    return { ...row, rec: new Uint8Array(row.rec) }
  })
}

/** Writes rows, whole or not at all, and says of each what became of it. */
export async function writeRows<C>(
  queries: RowQueries<C>,
  connection: C,
  rows: readonly RowWrite[],
): Promise<WriteResult[]> {
  const results: WriteResult[] = Array.from({ length: rows.length })
  const waves = toWaves(rows, queries.limits)
  const [first] = waves
  if (waves.length === 0) return results
  const send = ({ kind, places }: Segment) => queries.write(connection, kind, pick(rows, places))

  if (waves.length === 1 && first!.length === 1 && (rows.length === 1 || queries.tellsEach)) {
    await writeWave(first!, queries.load as Load)
  } else if (waves.length === 1 && queries.pipelines(connection)) {
    const told = await inPipelinedTransaction(
      queries,
      connection,
      first!.map((segment) => () => send(segment)),
    )
    await settle(first!, told, queries.load as Load)
  } else {
    await inTransaction(queries, connection, async () => {
      for (const wave of waves) await writeWave(wave, queries.loadWritten as Load)
    })
  }
  return results

  async function writeWave(wave: readonly Segment[], load: Load, round = 0): Promise<void> {
    const told: (boolean | undefined)[][] = []
    for (const segment of wave) told.push(await send(segment))
    await settle(wave, told, load, round)
  }

  /** Notes what was told of each row, reads what is stored of the others and writes those again for which it is their turn. */
  async function settle(
    wave: readonly Segment[],
    told: readonly (readonly (boolean | undefined)[])[],
    load: Load,
    round = 0,
  ): Promise<void> {
    const open: number[] = []
    for (const [at, { places }] of wave.entries()) {
      for (const [i, place] of places.entries()) {
        if (told[at]![i] === true) results[place] = APPLIED
        else open.push(place)
      }
    }
    if (open.length === 0) return
    const stored = await loadRows(queries, connection, pick(rows, open), load)
    const again: number[] = []
    for (const [i, place] of open.entries()) {
      const verdict = decideWrite(stored[i], rows[place]!)
      const holds = verdict.status === 'applied'
      // Somebody removed or replaced the row that it was stale to.
      if (holds && (stored[i] === undefined || !isSameWrite(stored[i], rows[place]!))) again.push(place)
      else results[place] = verdict
    }
    if (again.length === 0) return
    if (round >= MAX_ROUNDS) throw unsettled(round)
    await writeWave(toSegments(rows, again, queries.limits), load, round + 1)
  }
}

export function batches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

function pick<T>(items: readonly T[], places: readonly number[]): T[] {
  return places.map((place) => items[place]!)
}

/** Does all, at once or one after the other. */
async function all<T>(steps: readonly (() => Promise<T>)[], atOnce: boolean): Promise<T[]> {
  if (atOnce) {
    const begun = steps.map((step) => step())
    // A connection is given back when everything on it has ended.
    await Promise.allSettled(begun)
    return Promise.all(begun)
  }
  const results: T[] = []
  for (const step of steps) results.push(await step())
  return results
}

function unsettled(rounds: number): KeepsakeError {
  return new KeepsakeError(
    'conflict',
    `Rows changed ${rounds} times while they were written, each time back to what the write was for. Try again; if it stays so, look for triggers on the table.`,
    { retryable: true },
  )
}
