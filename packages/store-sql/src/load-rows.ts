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
  // Keys are enough within one entity, and faster.
  const name = ids.every(({ entity }) => entity === ids[0]?.entity) ? ({ key }: RowId) => key : nameOf
  const names = ids.map(name)
  const asked = new Map(names.map((each, i) => [each, ids[i]!]))
  const found = new Map<string, Row>()
  for (const batch of batches([...asked.values()], queries.maxIds)) {
    for (const row of await queries.load(connection, batch, written)) found.set(name(row), row)
  }
  const rows = names.map((each) => found.get(each))
  if (asked.size === ids.length) return rows
  // Who asks twice for a row gets two, which share nothing.
  const given = new Set<Row>()
  return rows.map((row) => {
    if (row === undefined) return undefined
    if (given.has(row)) return { ...row, rec: new Uint8Array(row.rec) }
    given.add(row)
    return row
  })
}

/** Rows hold no U+0000. */
export function nameOf({ entity, key }: RowId): string {
  return `${entity}\0${key}`
}
