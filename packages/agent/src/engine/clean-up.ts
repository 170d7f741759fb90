import { descending, type Row, type RowId } from '@keepsake/core'
import type { Ground } from './ground.ts'
import { COMMITS, commitKey, readCommit, SNAPSHOTS, snapshotKey } from './rows/commit.ts'
import { deadLetterKey } from './rows/event.ts'
import type { CommitRef } from './rows/head.ts'
import { JOURNALS, journalVersion } from './rows/journal.ts'
import { isGone } from './rows/row.ts'
import { deadIndexId } from './rows/shard.ts'
import { scanRows } from './store-calls.ts'

/** As a rule there is one commit more than at the clean-up before, and the journal of one event. */
const FIRST_ROWS = 4

/**
 * Removes what nobody will read: journals up to the last commit, commits and snapshots that are not on the chain, down to
 * where the clean-up before has been, and dead letters of events that were committed after all. What it misses, the next
 * one finds.
 */
export async function cleanUp(
  ground: Ground,
  place: { id: string; entity: string },
  committed: CommitRef,
  cleanS: number,
): Promise<void> {
  const { store, options } = ground
  const { id, entity } = place
  const gone: (RowId & { seq?: number })[] = []
  for await (const row of scanRows(store, entity, JOURNALS, { pageRows: FIRST_ROWS })) {
    if (journalVersion(row.key) > committed.s) break
    gone.push(row)
  }
  const names = new Set<string>()
  const events: string[] = []
  let expected: CommitRef | undefined = committed
  for await (const row of olderRows(ground, entity, COMMITS, committed.s)) {
    if (row.seq < cleanS) break
    if (expected !== undefined && row.key === commitKey(expected) && !isGone(row)) {
      const { eventId, previous } = readCommit(row)
      names.add(snapshotKey(expected))
      events.push(eventId)
      expected = previous
    } else {
      const said = isGone(row) ? undefined : readCommit(row).said
      if (said !== undefined) gone.push({ entity, key: said.key })
      gone.push(row)
    }
  }
  for await (const row of olderRows(ground, entity, SNAPSHOTS, committed.s)) {
    if (row.seq < cleanS) break
    if (!names.has(row.key)) gone.push(row)
  }
  const letters = await store.load(events.map((eventId) => ({ entity, key: deadLetterKey(eventId) })))
  for (const [index, letter] of letters.entries()) {
    if (letter !== undefined) gone.push(letter, deadIndexId(options.kind, id, events[index]!))
  }
  if (gone.length > 0) await store.remove(gone)
}

/** Rows of versions up to `s`, newest first. */
function olderRows({ store }: Ground, entity: string, prefix: string, s: number): AsyncGenerator<Row> {
  // Before all keys of version s, and after those of later ones.
  return scanRows(store, entity, prefix, { pageRows: FIRST_ROWS, after: prefix + descending(s) })
}
