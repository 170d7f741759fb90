import { equalBytes } from '../rows/guard.ts'
import type { CallOptions, Row, RowId, RowStore } from '../rows/row-store.ts'
import { compareUtf8 } from '../rows/utf8.ts'
import { walkEntities, walkRows } from './walk-rows.ts'

/** A row as each of two stores has it; at least one of them does. */
export interface RowPair extends RowId {
  readonly source: Row | undefined
  readonly target: Row | undefined
}

/**
 * Every row that one of two stores has, in order, beside what the other has under the same name: both are read once, page
 * by page, side by side. `after` is the row to begin behind.
 */
export async function* pairRows(
  source: RowStore,
  target: RowStore,
  { after, signal }: CallOptions & { after?: RowId | undefined } = {},
): AsyncGenerator<RowPair> {
  if (after !== undefined) yield* rowsOf(after.entity, [source, target], { after: after.key, signal })
  const range = { after: after?.entity, signal }
  const entities = merge(walkEntities(source, range), walkEntities(target, range), (entity) => entity)
  for await (const [here, there] of entities) {
    const stores = [here === undefined ? undefined : source, there === undefined ? undefined : target] as const
    yield* rowsOf((here ?? there)!, stores, { signal })
  }
}

/** Whether two rows are the same in all that a store keeps. */
export function isSameRow(a: Row, b: Row): boolean {
  return (
    a.seq === b.seq && a.updatedAtMs === b.updatedAtMs && a.expiresAtMs === b.expiresAtMs && equalBytes(a.rec, b.rec)
  )
}

/** A store that has nothing of the entity is left out, and not asked. */
async function* rowsOf(
  entity: string,
  stores: readonly [RowStore | undefined, RowStore | undefined],
  range: CallOptions & { after?: string },
): AsyncGenerator<RowPair> {
  const [here, there] = stores.map((store) => (store === undefined ? nothing() : walkRows(store, entity, range)))
  for await (const [source, target] of merge(here!, there!, (row) => row.key)) {
    yield { entity, key: (source ?? target)!.key, source, target }
  }
}

// oxlint-disable-next-line require-yield -- the walk through a store that has nothing
async function* nothing(): AsyncGenerator<never> {}

/** Two ordered walks as one: what stands at the same place in both comes together. */
async function* merge<T>(
  left: AsyncIterator<T>,
  right: AsyncIterator<T>,
  place: (item: T) => string,
): AsyncGenerator<[T | undefined, T | undefined]> {
  let [a, b] = await Promise.all([left.next(), right.next()])
  while (!a.done || !b.done) {
    const order = a.done ? 1 : b.done ? -1 : compareUtf8(place(a.value), place(b.value))
    yield [order <= 0 ? (a.value as T) : undefined, order >= 0 ? (b.value as T) : undefined]
    // Each waits for its store only at the end of a page; the two then wait together.
    ;[a, b] = await Promise.all([order <= 0 ? left.next() : a, order >= 0 ? right.next() : b])
  }
}
