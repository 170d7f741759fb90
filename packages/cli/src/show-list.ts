import type { Output } from './output.ts'
import type { Column } from './table.ts'

/** What {@link showList} needs to know of a kind of item. */
export interface ListView<T> {
  /** What several of them are called. */
  plural: string
  columns: readonly Column[]
  /** An item as a line of the table, safe to show. */
  cells(item: T): string[]
  /** An item as a line of JSON. */
  json(item: T): unknown
}

/** Items that a command reads at a time. */
export const PAGE = 500
/** How many items people are shown unless they ask for more. Machines get everything. */
const FOR_PEOPLE = 100

/**
 * Shows what `read(atMost)` gives: a table for people, JSON Lines for machines. Says so where the list goes on.
 * Returns how many were shown.
 */
export async function showList<T>(
  out: Output,
  view: ListView<T>,
  asked: number | undefined,
  read: (atMost: number) => AsyncIterable<T>,
): Promise<number> {
  const limit = asked ?? (out.json ? Infinity : FOR_PEOPLE)
  const lines: string[][] = []
  let count = 0
  // One more than is shown tells whether there are more.
  for await (const item of read(limit + 1)) {
    if (++count > limit) break
    if (out.json) await out.record(view.json(item))
    else lines.push(view.cells(item))
  }
  if (lines.length > 0) await out.table(view.columns, lines)
  if (count > limit) {
    out.note(`These are the first ${limit}; there are more ${view.plural}: use a larger --limit, or --json for all.`)
  }
  return Math.min(count, limit)
}
