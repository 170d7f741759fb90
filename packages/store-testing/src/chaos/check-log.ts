import type { FinalRow, LogEvent, LoggedWrite } from './log.ts'

/** A write with what is known of it. */
interface Write extends LoggedWrite {
  began: bigint
  /** `Infinity`: there was no answer. */
  ended: bigint | number
  /** `undefined`: there was no answer. */
  verdict: true | number | undefined
}

/** Something that somebody saw stored. */
interface Sight {
  what: string
  seq: number
  /** Left out: only the seq is known. */
  id?: string
  began: bigint
  ended: bigint | number
}

export interface CheckLogOptions {
  /**
   * Answers were lost between server and store, which then repeated writes. One that was done, and overtaken before it was
   * repeated, is stale to something newer: `stale` says what is the current row, and not what never was.
   */
  lostAnswers?: boolean
}

/**
 * What in a log cannot have happened if guards hold and acknowledged writes stay, row by row. Empty if there is a legal
 * order. Rows are never removed, and every guard only lets a seq rise, so the seqs of a row are the order of its versions.
 */
export function checkLog(
  events: readonly LogEvent[],
  final: readonly FinalRow[],
  { lostAnswers = false }: CheckLogOptions = {},
): string[] {
  const writes = writesOf(events)
  const keys = new Set([...writes.map(({ key }) => key), ...final.map(({ key }) => key)])
  return [...keys].flatMap((key) => {
    const ofRow = writes.filter((write) => write.key === key)
    const sights: Sight[] = [
      ...events.flatMap((event) =>
        event.type === 'read' && event.key === key
          ? [{ what: 'a read', seq: event.seq, id: event.id, began: BigInt(event.began), ended: BigInt(event.ended) }]
          : [],
      ),
      ...ofRow.flatMap(({ id, verdict, began, ended }) =>
        typeof verdict === 'number' ? [{ what: `the verdict of ${id}`, seq: verdict, began, ended }] : [],
      ),
      { what: 'the end', ...(final.find((row) => row.key === key) ?? { seq: -1 }), began: LAST, ended: Infinity },
    ]
    return checkRow(ofRow, sights, lostAnswers).map((violation) => `row ${key}: ${violation}`)
  })
}

/** After everything. */
const LAST = 2n ** 63n

function checkRow(writes: readonly Write[], sights: readonly Sight[], lostAnswers: boolean): string[] {
  const violations: string[] = []
  const bySeq = new Map(writes.map((write) => [write.seq, write]))
  if (bySeq.size < writes.length) violations.push('two writes have one seq, so this log says nothing')
  const wasNotDone = ({ seq, verdict }: Write): boolean =>
    typeof verdict === 'number' && !(lostAnswers && verdict > seq)

  for (const { what, seq, id } of sights) {
    if (seq === -1) continue
    const write = bySeq.get(seq)
    if (write === undefined || (id !== undefined && write.id !== id))
      violations.push(`${what} saw what nobody wrote: ${seq}`)
    else if (wasNotDone(write)) violations.push(`${what} saw ${write.id}, which was reported stale`)
  }

  // Acknowledged, or seen: these were stored for a time.
  const seen = new Set(sights.map(({ seq }) => seq))
  for (const { guard, verdict } of writes) if (verdict === true && typeof guard === 'number') seen.add(guard)
  const effective = writes.filter((write) => write.verdict === true || (seen.has(write.seq) && !wasNotDone(write)))

  for (const write of writes) {
    const { id, seq, guard, verdict } = write
    if (verdict === true) {
      const over = typeof guard === 'number' ? guard : -1
      const between = effective.find((other) => other.seq > over && other.seq < seq)
      if (guard !== 'newer' && between !== undefined)
        violations.push(`${id} was applied over ${over}, but ${between.id} was there`)
      const expected = typeof guard === 'number' ? bySeq.get(guard) : undefined
      if (expected !== undefined && wasNotDone(expected))
        violations.push(`${id} was applied over ${guard}, which was reported stale`)
    } else if (typeof verdict === 'number') {
      if (guard === 'newer' && verdict <= seq) violations.push(`${id} was stale to ${verdict}, which is not newer`)
      if (guard === 'absent' && verdict === -1) violations.push(`${id} was stale to nothing`)
      if (verdict === guard) violations.push(`${id} was stale to the very seq that it expected`)
    }
  }

  // What was acknowledged, or seen, before something began was still there, or had made way for something newer.
  const known = [
    ...writes.filter(({ verdict }) => verdict === true).map(({ id, seq, ended }) => ({ what: id, seq, ended })),
    ...sights,
  ]
  const later = [
    ...sights,
    ...writes.filter(({ verdict }) => verdict === true).map((write) => ({ what: write.id, ...write })),
  ]
  for (const { what, seq, began } of later) {
    const lost = known.find((before) => before.ended < began && before.seq > seq)
    if (lost !== undefined) violations.push(`${what} is at ${seq}, after ${lost.what} was at ${lost.seq}`)
  }
  return violations
}

function writesOf(events: readonly LogEvent[]): Write[] {
  const ends = new Map(events.flatMap((event) => (event.type === 'end' ? [[event.call, event] as const] : [])))
  return events.flatMap((event) => {
    if (event.type !== 'begin') return []
    const end = ends.get(event.call)
    return event.writes.map((write, i) => ({
      ...write,
      began: BigInt(event.at),
      ended: end === undefined ? Infinity : BigInt(end.at),
      verdict: end?.verdicts[i],
    }))
  })
}
