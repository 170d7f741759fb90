import { decideWrite, equalBytes, systemClock, type Row, type RowWrite, type WriteResult } from '@keepsake/core'
import { breaksMethod, breaksRule, type BrokenStore } from './broken-store.ts'

const APPLIED: WriteResult = { status: 'applied' }
const stale = (stored: Row | undefined): WriteResult => ({ status: 'stale', seq: stored?.seq ?? -1 })
const isRepeat = (stored: Row | undefined, write: RowWrite): stored is Row =>
  stored !== undefined && stored.seq === write.seq && equalBytes(stored.rec, write.rec)

export const brokenGuards: readonly BrokenStore[] = [
  breaksMethod(
    'reads, then writes',
    '64 writers of an absent row with different ids: exactly one is applied',
    (store) => ({
      async write(rows) {
        const results: WriteResult[] = []
        for (const row of rows) {
          const [stored] = await store.load([row])
          const result = decideWrite(stored, row)
          if (result.status === 'applied') await store.write([row])
          results.push(result)
        }
        return results
      },
    }),
    { decide: () => APPLIED },
  ),
  breaksRule('> for >=', 'a repeat of the same monotonic write is applied', {
    decide: (stored, write) =>
      (write.guard ?? 'monotonic') === 'monotonic' && stored?.seq === write.seq
        ? stale(stored)
        : decideWrite(stored, write),
  }),
  breaksRule('a write without a guard is blind', 'no guard is monotonic', {
    decide: (stored, write) => (write.guard === undefined ? APPLIED : decideWrite(stored, write)),
  }),
  breaksRule('absent does not know its own repeat', 'a repeat of the same absent write is applied', {
    decide: (stored, write) =>
      write.guard === 'absent' && stored !== undefined ? stale(stored) : decideWrite(stored, write),
  }),
  breaksRule('{ seq } does not know its own repeat', 'a repeat of the same { seq } write is applied', {
    decide: (stored, write) =>
      typeof write.guard === 'object' && isRepeat(stored, write) ? stale(stored) : decideWrite(stored, write),
  }),
  breaksRule('knows its own repeat by seq alone', 'a repeat with equal seq and another record is not this write', {
    decide: (stored, write) => (stored?.seq === write.seq ? APPLIED : decideWrite(stored, write)),
  }),
  breaksRule(
    'absent takes the place of an equal seq',
    '64 writers of an absent row with different ids: exactly one is applied',
    {
      decide: (stored, write) =>
        write.guard === 'absent' && stored?.seq === write.seq ? APPLIED : decideWrite(stored, write),
    },
  ),
  breaksRule(
    'two writers that expect the same seq and write the next are one',
    '64 writers expect the same seq, with equal value and different write ids: exactly one is applied',
    {
      decide: (stored, write) =>
        typeof write.guard === 'object' && stored?.seq === write.seq ? APPLIED : decideWrite(stored, write),
    },
  ),
  breaksRule(
    'knows its own repeat by the length of its record',
    'the own repeat of a record of the limit is recognised, and one that differs in its last byte is not',
    {
      decide: (stored, write) =>
        stored?.seq === write.seq && stored.rec.length === write.rec.length ? APPLIED : decideWrite(stored, write),
    },
  ),
  breaksRule('forgets tombstones in guards', 'a claim does not take the place of a tombstone', {
    decide: (stored, write) => decideWrite(stored?.rec.length === 0 ? undefined : stored, write),
  }),
  breaksRule('removes instead of keeping a tombstone', 'a late duplicate does not bring the dead back', {
    takeIn: (write) => (write.rec.length === 0 ? undefined : write),
  }),
  breaksRule('ignores expired rows in guards', 'over an expired row at 5, absent with seq 6 and record B is stale 5', {
    decide: (stored, write) =>
      decideWrite(stored && (stored.expiresAtMs ?? Infinity) <= systemClock().nowMs() ? undefined : stored, write),
  }),
  breaksRule('{ seq } creates what is not there', 'over nothing, { seq: 5 } with seq 6 and record A is stale -1', {
    decide: (stored, write) => (stored === undefined ? APPLIED : decideWrite(stored, write)),
  }),
  breaksRule('{ seq } takes any older row', 'over a row at 5, { seq: 6 } with seq 7 and record B is stale 5', {
    decide: (stored, write) =>
      typeof write.guard === 'object' && stored !== undefined && stored.seq <= write.guard.seq
        ? APPLIED
        : decideWrite(stored, write),
  }),
  breaksRule('stale reports the seq that came in', 'over a row at 5, monotonic with seq 4 and record B is stale 5', {
    decide: (stored, write) => {
      const result = decideWrite(stored, write)
      return result.status === 'stale' ? { status: 'stale', seq: write.seq } : result
    },
  }),
  breaksRule('stale of nothing reports 0', 'over nothing, { seq: 0 } with seq 1 and record A is stale -1', {
    decide: (stored, write) => {
      const result = decideWrite(stored, write)
      return result.status === 'stale' && stored === undefined ? { status: 'stale', seq: 0 } : result
    },
  }),
  breaksRule('compares seqs as texts', 'seq 10 is kept, compared and expected exactly', {
    decide: (stored, write) =>
      (write.guard ?? 'monotonic') === 'monotonic' && stored !== undefined && String(stored.seq) <= String(write.seq)
        ? APPLIED
        : decideWrite(stored, write),
  }),
  breaksRule('keeps seqs in 32 bits', 'seq 4294967296 is kept, compared and expected exactly', {
    takeIn: (write) => ({ ...write, seq: write.seq >>> 0 }),
  }),
  breaksMethod(
    'decides the rows of one batch by what was there before it',
    'one key in one call: claim, then compare-and-set',
    (store) => ({
      async write(rows) {
        const stored = await store.load(rows)
        const results = rows.map((row, i) => decideWrite(stored[i], row))
        await store.write(rows.filter((_, i) => results[i]!.status === 'applied'))
        return results
      },
    }),
    { decide: () => APPLIED },
  ),
]
