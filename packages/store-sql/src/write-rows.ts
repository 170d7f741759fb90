import { decideWrite, isSameWrite, KeepsakeError, type RowWrite, type WriteResult } from '@keepsake/core'
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
  const results: WriteResult[] = Array.from({ length: rows.length })

  function send({ kind, places }: Segment): Promise<(boolean | undefined)[]> {
    return queries.write(connection, kind, pick(rows, places))
  }

  async function writeWave(wave: readonly Segment[], inside: boolean, round = 0): Promise<void> {
    const told: (boolean | undefined)[][] = []
    for (const segment of wave) told.push(await send(segment))
    await settle(wave, told, inside, round)
  }

  /** Reads what is stored where the server did not say that a row was applied. `inside`: of the transaction that wrote. */
  async function settle(wave: readonly Segment[], told: Told, inside: boolean, round = 0): Promise<void> {
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
      // By what is stored now it is this row's turn after all: somebody removed or replaced what it was stale to.
      const holds = verdict.status === 'applied' && (stored[i] === undefined || !isSameWrite(stored[i], rows[place]!))
      if (holds) again.push(place)
      else results[place] = verdict
    }
    if (again.length === 0) return
    if (round === MAX_ROUNDS) throw unsettled()
    await writeWave(toSegments(rows, again, queries.limits), inside, round + 1)
  }

  const waves = toWaves(rows, queries.limits)
  const [first = []] = waves
  if (waves.length <= 1 && first.length <= 1 && (rows.length <= 1 || queries.tellsEach)) {
    // One statement is whole or not at all by itself.
    await writeWave(first, false)
  } else if (waves.length === 1 && queries.pipelines(connection)) {
    const statements = first.map((segment) => () => send(segment))
    await settle(first, await inPipelinedTransaction(queries, connection, statements), false)
  } else {
    await inTransaction(queries, connection, async () => {
      for (const wave of waves) await writeWave(wave, true)
    })
  }
  return results
}

function unsettled(): KeepsakeError {
  return new KeepsakeError(
    'conflict',
    `Rows changed ${MAX_ROUNDS} times while they were written, each time so that the write had to be tried again. Try again; if it stays so, look for triggers on the table.`,
    { retryable: true },
  )
}
