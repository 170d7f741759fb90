import type { RowWrite } from '@keepsake/core'
import type { Ground } from '../ground.ts'
import {
  answerRow,
  entryRows,
  journalPrefix,
  placeName,
  readJournal,
  type Journal,
  type JournalEntry,
} from '../rows/journal.ts'
import { scanRows, writeRows } from '../store-calls.ts'
import type { HeadKeeper } from './head-keeper.ts'

/**
 * Copies what a failed activation's journal holds into that of its retry: of each scope the entries with results, up to the
 * first without. The head names the old activation until that is done, so whoever takes over completes it.
 */
export async function copyJournal(ground: Ground, keeper: HeadKeeper): Promise<void> {
  const { store, clock } = ground
  const { entity } = keeper
  const { s, copyFrom } = keeper.head.active!
  const rows = []
  for await (const row of scanRows(store, entity, journalPrefix(copyFrom!))) rows.push(row)
  const journal = readJournal(rows)
  const write = { nowMs: clock.nowMs(), maxRecBytes: store.limits.maxRecBytes }
  const copies: RowWrite[] = []
  for (const [name, entry] of kept(journal)) {
    const place = { ordinal: Number.parseInt(name.slice(0, 14), 16), scope: name.slice(14) }
    const copy = entryRows(entity, s, place, entry, { ...write, writeId: clock.newId() })
    copies.push(...copy.parts, copy.entry)
    const answer = journal.answers.get(name)
    if (answer !== undefined) {
      copies.push(answerRow(entity, s, place, answer, { nowMs: write.nowMs, writeId: clock.newId() }))
    }
  }
  if (copies.length > 0) await writeRows(ground, store, copies)
  await keeper.move((head) => {
    const { copyFrom: _done, ...active } = head.active!
    return { ...head, active }
  })
}

function kept(journal: Journal): [string, JournalEntry][] {
  const ended = new Set<string>()
  return [...journal.entries]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .filter(([name, entry]) => {
      const scope = name.slice(placeName({ scope: '', ordinal: 0 }).length)
      const open = entry.question !== undefined && !journal.answers.has(name)
      if (entry.failure !== undefined || open) ended.add(scope)
      return !ended.has(scope)
    })
}
