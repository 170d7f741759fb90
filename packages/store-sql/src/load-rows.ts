import type { Row, RowId } from '@keepsake/core'
import { batches } from './batches.ts'
import type { RowQueries } from './row-queries.ts'

/**
 * The rows of `ids`, in their order. As many as one statement takes are as they were at one moment. `written`: within a
 * transaction that has written them, or tried to.
 */
export async function loadRows<C>(
  queries: RowQueries<C>,
  connection: C,
  ids: readonly RowId[],
  written = false,
): Promise<(Row | undefined)[]> {
  if (ids.length === 1) return [(await queries.load(connection, ids, written))[0]]
  const asked = new Map(ids.map((id) => [nameOf(id), id]))
  const found = new Map<string, Row>()
  for (const batch of batches([...asked.values()], queries.maxIds)) {
    for (const row of await queries.load(connection, batch, written)) found.set(nameOf(row), row)
  }
  const given = new Set<Row>()
  return ids.map((id) => {
    const row = found.get(nameOf(id))
    if (row === undefined) return undefined
    // Who asks twice for a row gets two, which share nothing.
    if (given.has(row)) return { ...row, rec: new Uint8Array(row.rec) }
    given.add(row)
    return row
  })
}

/** Rows hold no U+0000. */
export function nameOf({ entity, key }: RowId): string {
  return `${entity}\0${key}`
}
