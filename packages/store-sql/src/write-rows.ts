import { decideWrite, isSameWrite, KeepsakeError, type Row, type RowWrite, type WriteResult } from '@keepsake/core'
import { pick } from './batches.ts'
import { loadRows } from './load-rows.ts'
import type { RowQueries } from './row-queries.ts'
import { inPipelinedTransaction, inTransaction } from './transaction.ts'
import { toSegments, toWaves, type Segment } from './waves.ts'

/** What was told of the rows of each segment of a wave. */
type Told = readonly (readonly (boolean | undefined)[])[]

/** Each time somebody else wrote in between; so often that is no accident. */
const MAX_ROUNDS = 50
const APPLIED: WriteResult = Object.freeze({ status: 'applied' })

/** Writes rows, whole or not at all, and says of each what became of it. */
export async function writeRows<C>(
  queries: RowQueries<C>,
  connection: C,
  rows: readonly RowWrite[],
): Promise<WriteResult[]> {
  const waves = toWaves(rows, queries.limits)
  const [first = []] = waves
  const batch: Batch<C> = { queries, connection, rows, results: Array.from({ length: rows.length }) }
  if (waves.length <= 1 && first.length <= 1 && queries.tells(rows.length)) {
    // One statement is whole or not at all by itself.
    await writeWave(batch, first, false)
  } else if (waves.length === 1 && queries.pipelines(connection)) {
    const statements = first.map((segment) => () => send(batch, segment))
    await settle(batch, first, await inPipelinedTransaction(queries, connection, statements), false)
  } else {
    await inTransaction(queries, connection, async () => {
      for (const wave of waves) await writeWave(batch, wave, true)
    })
  }
  return batch.results
}

interface Batch<C> {
  queries: RowQueries<C>
  connection: C
  rows: readonly RowWrite[]
  results: WriteResult[]
}

function send<C>({ queries, connection, rows }: Batch<C>, { kind, places }: Segment): Promise<(boolean | undefined)[]> {
  return queries.write(connection, kind, pick(rows, places))
}

/** `inside`: of a transaction. */
async function writeWave<C>(batch: Batch<C>, wave: readonly Segment[], inside: boolean, round = 0): Promise<void> {
  const told: (boolean | undefined)[][] = []
  for (const segment of wave) told.push(await send(batch, segment))
  await settle(batch, wave, told, inside, round)
}

/** Notes what was told of each row, and looks at what is stored where it was not told that a row was applied. */
async function settle<C>(
  batch: Batch<C>,
  wave: readonly Segment[],
  told: Told,
  inside: boolean,
  round = 0,
): Promise<void> {
  const { queries, connection, rows, results } = batch
  const open: number[] = []
  for (const [at, { places }] of wave.entries()) {
    for (const [i, place] of places.entries()) {
      if (told[at]![i] === true) results[place] = APPLIED
      else open.push(place)
    }
  }
  if (open.length === 0) return
  const again: number[] = []
  const stored = await loadRows(queries, connection, pick(rows, open), inside)
  for (const [i, place] of open.entries()) {
    const verdict = decideWrite(stored[i], rows[place]!)
    // If by what is stored now it is this row's turn after all, somebody removed or replaced what it was stale to.
    if (verdict.status === 'applied' && !isStored(rows[place]!, stored[i])) again.push(place)
    else results[place] = verdict
  }
  if (again.length === 0) return
  if (round === MAX_ROUNDS) throw unsettled()
  await writeWave(batch, toSegments(rows, again, queries.limits), inside, round + 1)
}

function isStored(write: RowWrite, stored: Row | undefined): boolean {
  return (
    stored !== undefined &&
    isSameWrite(stored, write) &&
    stored.updatedAtMs === write.updatedAtMs &&
    stored.expiresAtMs === write.expiresAtMs
  )
}

function unsettled(): KeepsakeError {
  return new KeepsakeError(
    'conflict',
    `Rows changed ${MAX_ROUNDS} times while they were written, each time so that the write had to be tried again. Try again; if it stays so, look for triggers on the table.`,
    { retryable: true },
  )
}
