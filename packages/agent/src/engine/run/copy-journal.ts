import type { RowWrite } from '@keepsake/core'
import type { Ground } from '../ground.ts'
import { answerRow, entryRows, journalPrefix, readJournal, type Journal, type JournalEntry } from '../rows/journal.ts'
import { scanRows, writeRows } from '../store-calls.ts'
import type { HeadKeeper } from './head-keeper.ts'

/**
 * Copies what a failed activation's journal holds into that of its retry: the entries with results that were asked before the
 * first without could tell the handler anything. The head names the old activation until that is done, so whoever takes over completes it.
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

/** What may have been asked because of a failure, or of a question that has no answer yet, is asked again. */
function kept({ entries, answers }: Journal): [string, JournalEntry][] {
  const isLeft = ([name, entry]: [string, JournalEntry]): boolean =>
    entry.failure !== undefined || (entry.question !== undefined && !answers.has(name))
  const all = [...entries]
  const end = Math.min(...all.filter(isLeft).map(([, { order }]) => order))
  return all.filter((one) => one[1].order <= end && !isLeft(one))
}
