import type { JSONValue } from '@ai-sdk/provider'
import type { Checker, Committed } from './checker.ts'
import { ownerEntity } from '@keepsake/core'
import { deadLetterKeyOf, eventKeyOf, FILE_KEY, fileOwner, headKeyOf, headOf, linesOf, readRow } from './layout.ts'
import { lineOf, type Program } from './programs.ts'
import { Violation } from './violation.ts'

/** An event, and what its sender knows of it. */
export interface Sent {
  readonly entity: string
  readonly event: { readonly id: string; readonly data: Program }
  readonly submitted: boolean
  /** Steps between which it was submitted. */
  from: number
  to: number
  outcome: { status: 'completed'; output: JSONValue } | { status: 'failed' } | undefined
  /** A retry is a new activation, and has no place in the order of submission. */
  retried: boolean
}

/** What has to hold when all events were delivered until they were done, and nothing runs. */
export function checkQuiet(checker: Checker, events: readonly Sent[], engineEntity: (entity: string) => string): void {
  for (const entity of new Set(events.map((sent) => sent.entity))) {
    const stored = engineEntity(entity)
    const head = headOf(checker.row(stored, headKeyOf(stored))!)
    if (head.active !== undefined) throw new Violation('I10', 'something is still active')
    const chain = checker.chains.get(stored) ?? []
    for (const sent of events.filter((each) => each.entity === entity)) {
      const times = chain.filter(({ eventId }) => eventId === sent.event.id).length
      const letterKey = deadLetterKeyOf(sent.event.id)
      const dead = checker.row(stored, letterKey) !== undefined && !checker.landedLate(stored, letterKey)
      if (sent.outcome?.status === 'completed' && times !== 1) {
        throw new Violation('I2', `${sent.event.id} was acknowledged, and is on the chain ${times} times`)
      }
      if (sent.outcome?.status === 'failed' && times > 0)
        throw new Violation('I2', `${sent.event.id} failed and is committed`)
      if (times > 0 && dead) throw new Violation('I2', `${sent.event.id} is committed and a dead letter`)
      checkEdits(checker, sent, times > 0)
      const isLast = head.committed?.eventId === sent.event.id
      if (times > 0 && !isLast && checker.row(stored, eventKeyOf(sent.event.id)) === undefined) {
        throw new Violation('I2', `${sent.event.id} is committed and its event row is missing`)
      }
    }
    checkLeftovers(checker, stored)
    checkOrder(
      chain,
      events.filter((each) => each.entity === entity),
    )
  }
}

/** Each edit of an event that is committed is in the file; that it is there once is checked all the time. */
function checkEdits(checker: Checker, { entity, event }: Sent, isCommitted: boolean): void {
  if (!isCommitted) return
  const view = checker.row(ownerEntity(fileOwner(entity)), FILE_KEY)
  const file = view && readRow(view)
  const lines = file !== undefined && 'content' in file ? linesOf(file.content) : []
  for (const [place, op] of event.data.ops.entries()) {
    if (op === 'memorise' && !lines.includes(lineOf(event.id, place)))
      throw new Violation('edit', `${event.id} is committed, and its edit is lost`)
  }
}

function checkLeftovers(checker: Checker, stored: string): void {
  const chain = checker.chains.get(stored) ?? []
  const places = new Set(chain.map(({ s, ep }) => `${s} ${ep}`))
  const last = chain.at(-1)!.s
  const seen = new Set<string>()
  for (const row of checker.rowsOf(stored).values()) {
    const view = readRow(row)
    if (view.kind === 'c' && 'plan' in view) {
      if (!places.has(`${view.s} ${view.ep}`)) {
        if (checker.landedLate(stored, row.key)) continue
        throw new Violation('I7', 'a commit off the chain is left')
      }
      seen.add(`${view.s} ${view.ep}`)
      for (const planned of view.plan) {
        const there = checker.row(planned.entity, planned.key)
        if (there === undefined || there.seq < planned.seq) throw new Violation('I3', 'a planned row is not stored')
      }
    }
    if (view.kind === 'j' && 'place' in view && view.s < last) throw new Violation('I7', 'an old journal is left')
    if (view.kind === 'in') throw new Violation('I10', 'a submitted event is left in the inbox')
  }
  if (seen.size !== places.size) throw new Violation('I7', 'a commit of the chain was removed')
}

/** Of two submits, of which one returned before the other began, the first is claimed first. */
function checkOrder(chain: readonly Committed[], events: readonly Sent[]): void {
  const place = ({ event }: Sent): number => chain.findIndex(({ eventId }) => eventId === event.id)
  const submitted = events.filter((each) => each.submitted && !each.retried && place(each) >= 0)
  for (const a of submitted) {
    for (const b of submitted) {
      if (a.to < b.from && place(a) > place(b)) {
        throw new Violation('I10', `${b.event.id} was submitted after ${a.event.id} and committed before`)
      }
    }
  }
}
