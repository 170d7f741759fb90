import type { JSONValue } from '@ai-sdk/provider'
import { decodeTuple, isSameWrite, ownerEntity, type Row, type RowWrite, type WriteResult } from '@keepsake/core'
import { checkAnswers, checkEntries, expectSame, readsFor, type Attempt, type FirstEntry } from './attempt.ts'
import {
  commitKeyOf,
  deadLetterKeyOf,
  FLUSH_KEY,
  flushOf,
  headKeyOf,
  headOf,
  readRow,
  type CommitView,
  type FlushView,
  type HeadView,
  type RowView,
} from './layout.ts'
import type { Seen } from './programs.ts'
import { playReference, type Memory, type ReferenceRun } from './reference.ts'
import { checkFile } from './check-file.ts'
import type { Worker } from './scheduler.ts'
import { Violation } from './violation.ts'

/** A commit on the chain of an entity. */
export interface Committed {
  s: number
  ep: number
  eventId: string
  output: JSONValue
}

export interface Checker {
  /** Commits by entity, in order. */
  readonly chains: ReadonlyMap<string, readonly Committed[]>
  row(entity: string, key: string): Row | undefined
  rowsOf(entity: string): ReadonlyMap<string, Row>
  /** Whether a row landed when it was over already. */
  landedLate(entity: string, key: string): boolean
  /** A row has changed, by what this worker sent: it may be dead by now. */
  applied(write: RowWrite, by: Worker): void
  /** The same, by another program that shares the long-term memory. */
  appliedForeign(write: RowWrite): void
  removed(entity: string, key: string): void
  /** A worker sends rows, at this moment of its own clock, for a pass of the handler or for none. */
  sent(who: Worker, writes: readonly RowWrite[], attempt: Attempt | undefined): void
  /** A model call or step starts at this place. */
  callStarts(attempt: Attempt, place: string): void
  /** The answer to a write has reached the worker that sent it. */
  answered(who: Worker, writes: readonly RowWrite[], results: readonly WriteResult[]): void
  /** Something was counted. */
  counted(who: Worker, metric: string, n: number): void
  /** Checks that could not be made at once; rejects with the first violation. */
  settled(): Promise<void>
}

export interface CheckerOptions {
  nowMs: () => number
  leaseMs: number
  /** Whether the engine has a summarizer. */
  summarizes: boolean
}

/**
 * Reads every row that changes, as it changes, and throws where an invariant of the protocol does not hold. It knows
 * the rows by their documented layout alone.
 */
export function createChecker({ nowMs, leaseMs, summarizes }: CheckerOptions): Checker {
  const rows = new Map<string, Map<string, Row>>()
  const chains = new Map<string, Committed[]>()
  const decided = new Map<string, { ep: number; run: Promise<ReferenceRun | undefined> }>()
  const deciders = new Map<string, Attempt>()
  const firstEntries = new Map<string, FirstEntry>()
  const memories = new Map<string, Promise<Memory>>()
  const plans = new Map<string, Set<number>>()
  const gone = new Map<string, Set<string>>()
  const entriesSent = new Map<string, { attempt: Attempt; reads: ReadonlyMap<string, Seen> }>()
  const lastCommitted = new Map<Worker, string>()
  const counts = new Set<string>()
  const sentMs = new Map<string, number>()
  const leases = new Map<string, number>()
  const late = new Set<string>()
  /** How many rows had changed when a worker first had an activation. */
  const taken = new Map<string, number>()
  let changes = 0
  let reported: Violation | undefined
  /** For what the engine must not be shown: it would take it for a failure of the handler's. */
  const report = (violation: Violation): void => void (reported ??= violation)
  const pending: Promise<unknown>[] = []

  /** A check that waits: its violation is thrown after the step. */
  function later(check: Promise<unknown>): void {
    check.catch(() => {})
    pending.push(check)
  }

  const id = (...parts: readonly (string | number)[]): string => parts.join('\u0000')
  const rowsOf = (entity: string): Map<string, Row> => rows.get(entity) ?? new Map()
  const chainOf = (entity: string): Committed[] => {
    if (!chains.has(entity)) chains.set(entity, [])
    return chains.get(entity)!
  }

  function commitOf(entity: string, commit: { s: number; ep: number }): CommitView {
    const row = rowsOf(entity).get(commitKeyOf(commit))
    const view = row && readRow(row)
    if (view === undefined || !('plan' in view)) throw new Violation('I5', 'the head names a commit that is not there')
    return view
  }

  function onDecided(entity: string, named: { s: number; ep: number }): void {
    const key = id(entity, named.s)
    const before = decided.get(key)
    if (before !== undefined) {
      if (before.ep !== named.ep) throw new Violation('I1', `two epochs were decided for s ${named.s}`)
      return
    }
    const commit = commitOf(entity, named)
    for (const planned of commit.plan) {
      const stamps = plans.get(id(planned.entity, planned.key)) ?? new Set()
      plans.set(id(planned.entity, planned.key), stamps.add(planned.seq))
    }
    const attempt = deciders.get(id(entity, named.s, named.ep))
    if (attempt === undefined) throw new Violation('I9', 'a commit that no attempt has made')
    checkEntries(attempt, (place) => firstEntries.get(id(entity, attempt.s, place)))
    checkAnswers(attempt)
    const run = checkContent(entity, commit, attempt)
    decided.set(key, { ep: named.ep, run })
    later(run)
  }

  async function checkContent(entity: string, commit: CommitView, attempt: Attempt): Promise<ReferenceRun> {
    const before = (await memories.get(entity)) ?? new Map()
    const run = await playReference(attempt.event, before, attempt.seen, summarizes)
    if ('error' in run.outcome) throw new Violation('I9', `committed, but fails crash-free: ${run.outcome.error}`)
    expectSame('output', commit.output, run.outcome.output)
    const planned = new Map(commit.plan.map((row) => [row.path, row.value]))
    expectSame('plan', [...planned].toSorted(byKey), [...run.longterm].toSorted(byKey))
    return run
  }

  function onCommitted(entity: string, before: HeadView | undefined, named: { s: number; ep: number }): void {
    onDecided(entity, named)
    const commit = commitOf(entity, named)
    const old = before?.committed
    if (old !== undefined && named.s <= old.s) throw new Violation('I1', 'the committed s went back')
    if (id(commit.previous?.s ?? 0, commit.previous?.ep ?? 0) !== id(old?.s ?? 0, old?.ep ?? 0)) {
      throw new Violation('I1', 'the previous of a commit is not the one that it follows')
    }
    const chain = chainOf(entity)
    if (chain.some(({ eventId }) => eventId === commit.eventId)) {
      throw new Violation('I2', `event ${commit.eventId} is on the chain twice`)
    }
    chain.push({ s: named.s, ep: named.ep, eventId: commit.eventId, output: commit.output })
    for (const planned of commit.plan) {
      const stored = rowsOf(planned.entity).get(planned.key)
      if (stored === undefined || stored.seq < planned.seq) {
        throw new Violation('I3', 'committed, but a planned row is not stored')
      }
    }
    const { run } = decided.get(id(entity, named.s))!
    const memory = run.then((done) => done?.memory ?? new Map<string, JSONValue>())
    memory.catch(() => {})
    memories.set(entity, memory)
  }

  function onHead(write: RowWrite, stored: Row | undefined, by: Worker): void {
    const { entity } = write
    const before = stored && headOf(stored)
    const after = headOf(write)
    if (stored !== undefined && write.seq <= stored.seq) throw new Violation('I1', "the head's version went back")
    if (after.active?.status === 'decided') onDecided(entity, after.active)
    if (after.committed !== undefined && after.committed.s !== before?.committed?.s) {
      onCommitted(entity, before, after.committed)
    }
    if (before?.active?.status === 'suspended' && after.active?.status === 'running') {
      checkAnswered(entity, before.active)
    }
    if (before?.hasMemory === true && !after.hasMemory && after.committed?.s === before.committed?.s) {
      onWiped(entity, after.committed!.s)
    }
    const { active } = after
    if (active?.status === 'running' && active.ep === write.seq && !taken.has(id(by.id, entity, active.s))) {
      taken.set(id(by.id, entity, active.s), changes)
    }
    if (active?.diverged === true) throw new Violation('I4', 'a pure handler has diverged')
  }

  /** What waits for an answer waits until it is there, unless something else had been asked at its place. */
  function checkAnswered(
    entity: string,
    { answerKey, questionKey, questionHash }: NonNullable<HeadView['active']>,
  ): void {
    if (rowsOf(entity).has(answerKey!)) return
    const row = rowsOf(entity).get(questionKey!)
    const stored = row && readRow(row)
    if (stored !== undefined && 'hash' in stored && stored.hash !== questionHash) return
    throw new Violation('I6', 'goes on without an answer')
  }

  /** Working memory goes only when it is in long-term memory. */
  function onWiped(entity: string, committedS: number): void {
    const [, name = ''] = decodeTuple(entity)
    const row = rowsOf(ownerEntity(name)).get(FLUSH_KEY)
    const flushed = row && flushOf(row)
    later(checkFlushed(memories.get(entity), committedS, flushed))
    memories.set(entity, Promise.resolve(new Map()))
  }

  async function checkFlushed(
    memory: Promise<Memory> | undefined,
    committedS: number,
    flushed: FlushView | undefined,
  ): Promise<void> {
    const expected = [...((await memory) ?? [])].toSorted(byKey)
    if (expected.length === 0) return
    if (flushed === undefined || flushed.commit < committedS) {
      throw new Violation('I10', 'working memory was wiped and is not in long-term memory')
    }
    if (flushed.commit === committedS) expectSame('flushed memory', flushed.entries.toSorted(byKey), expected)
  }

  /** Long-term rows: nothing that was not decided, and nothing that was overwritten before. */
  function onLongterm(write: RowWrite, stored: Row | undefined, isForeign: boolean): void {
    const key = id(write.entity, write.key)
    const view = readRow(write)
    if (view.kind !== 'r' || !('path' in view)) return
    const isFlush = write.key === FLUSH_KEY
    if (isFlush && stored !== undefined && flushOf(stored).commit > flushOf(write).commit) {
      throw new Violation('I10', 'older working memory was written over newer in long-term memory')
    }
    if (!isForeign && !isFlush && plans.get(key)?.has(write.seq) !== true) {
      throw new Violation('I3', `a row was written that no decided commit plans: ${view.path}`)
    }
    const overwritten = gone.get(key) ?? new Set()
    gone.set(key, overwritten)
    const value = JSON.stringify(view.value)
    if (overwritten.has(value)) throw new Violation('I3', `an overwritten value came back at ${view.path}`)
    const old = stored && readRow(stored)
    if (old !== undefined && 'path' in old && JSON.stringify(old.value) !== value)
      overwritten.add(JSON.stringify(old.value))
  }

  return {
    chains,
    rowsOf,
    row: (entity, key) => rowsOf(entity).get(key),
    landedLate: (entity, key) => late.has(id(entity, key)),

    applied(write, by) {
      const stored = rowsOf(write.entity).get(write.key)
      if (stored !== undefined && isSameWrite(stored, write)) return
      const view = readRow(write)
      const { guard: _, ...row } = write
      changes++
      if (view.kind === 'c' || view.kind === 'j') keep(row)
      noteLate(write, view)
      if (view.kind === 'h') onHead(write, stored, by)
      if (view.kind === 'r') onLongterm(write, stored, false)
      if ('content' in view) checkFile(view.content, stored && readRow(stored))
      if (view.kind === 'j' && 'place' in view) {
        const key = id(write.entity, view.s, view.place)
        const from = entriesSent.get(id(by.id, key, String(write.rec)))
        const answered = view.answered && JSON.stringify(view.answered)
        if (!firstEntries.has(key))
          firstEntries.set(key, { by: from?.attempt, change: changes, answered, reads: from?.reads ?? new Map() })
      }
      keep(row)
    },

    appliedForeign(write) {
      const { guard: _, ...row } = write
      onLongterm(write, rowsOf(write.entity).get(write.key), true)
      keep(row)
    },

    removed(entity, key) {
      rows.get(entity)?.delete(key)
    },

    sent(who, writes, attempt) {
      for (const write of writes) {
        const view = readRow(write)
        if (view.kind === 'h' && !sentMs.has(id(who.id, write.entity, write.seq))) {
          sentMs.set(id(who.id, write.entity, write.seq), nowMs())
        }
        if (view.kind === 'j' && 'place' in view && attempt !== undefined) {
          const key = id(who.id, id(write.entity, view.s, view.place), String(write.rec))
          entriesSent.set(key, { attempt, reads: readsFor(attempt, view.scope) })
        }
        if (view.kind !== 'c' || !('plan' in view)) continue
        const key = id(write.entity, view.s, view.ep)
        if (attempt !== undefined && !deciders.has(key)) deciders.set(key, attempt)
      }
    },

    answered(who, writes, results) {
      for (const [index, write] of writes.entries()) {
        const sent = sentMs.get(id(who.id, write.entity, write.seq))
        if (sent === undefined || results[index]!.status === 'stale') continue
        leases.set(id(who.id, write.entity), sent + leaseMs)
        const { committed } = headOf(write)
        if (committed !== undefined) lastCommitted.set(who, id(write.entity, committed.s))
      }
    },

    callStarts(attempt, place) {
      const { worker, entity, s } = attempt
      const first = firstEntries.get(id(entity, s, attempt.ordinals.get(place)!))
      if (first === undefined) return
      const lease = leases.get(id(worker.id, entity)) ?? -Infinity
      const isKnown = first.by === attempt || first.change < (taken.get(id(worker.id, entity, s)) ?? 0)
      if (isKnown || nowMs() >= lease) {
        report(new Violation('I4', `a call starts after its answer was journaled (${place})`))
      }
    },

    counted(who, metric, n) {
      if (metric !== 'keepsake.longterm.upserts') return
      const commit = lastCommitted.get(who)
      if (commit === undefined || counts.has(commit)) {
        report(new Violation('metric', `${n} rows were counted twice, or before they were committed`))
      } else counts.add(commit)
    },

    async settled() {
      await Promise.all(pending.splice(0))
      if (reported !== undefined) throw reported
    },
  }

  /**
   * A commit that lands after a later one counts, or the dead letter of an event that was committed since: the clean-up may
   * have been there already, and does not come back.
   */
  function noteLate({ entity, key }: RowWrite, view: RowView): void {
    const head = rowsOf(entity).get(headKeyOf(entity))
    const committedS = (head && headOf(head).committed?.s) ?? -1
    const isOld = 'plan' in view && committedS >= view.s
    const isDone = view.kind === 'd' && chainOf(entity).some(({ eventId }) => deadLetterKeyOf(eventId) === key)
    if (isOld || isDone) late.add(id(entity, key))
  }

  function keep(row: Row): void {
    if (!rows.has(row.entity)) rows.set(row.entity, new Map())
    rows.get(row.entity)!.set(row.key, row)
  }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
