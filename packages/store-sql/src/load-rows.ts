import type { Row, RowId } from '@keepsake/core'
import { batches } from './batches.ts'
import type { RowQueries } from './row-queries.ts'

/**
 * The rows of `ids`, in their order. Those of one entity are read by one statement, if they are not too many. `written`:
 * within a transaction that has written them, or tried to.
 */
export async function loadRows<C>(
  queries: RowQueries<C>,
  connection: C,
  ids: readonly RowId[],
  written = false,
): Promise<(Row | undefined)[]> {
  if (ids.length === 1) return [(await queries.load(connection, ids[0]!.entity, [ids[0]!.key], written))[0]]
  const found = new Map<string, Map<string, Row>>()
  const reads: (() => Promise<Row[]>)[] = []
  for (const [entity, group] of Map.groupBy(ids, (id) => id.entity)) {
    found.set(entity, new Map())
    const keys = [...new Set(group.map(({ key }) => key))]
    for (const part of batches(keys, queries.maxKeys)) reads.push(() => queries.load(connection, entity, part, written))
  }
  for (const rows of await all(reads, queries.pipelines(connection))) {
    for (const row of rows) found.get(row.entity)!.set(row.key, row)
  }
  const given = new Set<Row>()
  return ids.map(({ entity, key }) => {
    const row = found.get(entity)!.get(key)
    if (row === undefined) return undefined
    // Who asks twice for a row gets two, which share nothing.
    if (given.has(row)) return { ...row, rec: new Uint8Array(row.rec) }
    given.add(row)
    return row
  })
}

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
