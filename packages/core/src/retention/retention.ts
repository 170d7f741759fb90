import { batched } from '../batched.ts'
import { systemClock, type Clock } from '../clock.ts'
import { KeepsakeError, throwIfAborted } from '../errors.ts'
import { copyTuple, type Key } from '../rows/keys.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'
import { lastRecalledMs } from './forgetting.ts'
import { dueCheckpoints } from './due-checkpoints.ts'
import { dueMessages, endThreads } from './due-messages.ts'
import { dueAudits, dueDeadLetters } from './due-rows.ts'
import { sweepOwners } from './sweep-owners.ts'

/** How long rows of a kind are kept, in milliseconds since they were last written. */
export type RetentionRule =
  /** Turns of conversations. One whose newest turn is due goes as a whole; what its runs need stays. */
  | { kind: 'messages'; maxAgeMs: number }
  /** Commits of engines and agents, with their snapshots: all but those that the newest state, a younger one or a known event needs. */
  | { kind: 'checkpoints'; maxAgeMs: number }
  /** Records, all or those in a namespace, such as `['episodes']`. */
  | { kind: 'records'; maxAgeMs: number; namespace?: Key }
  /** Memory files in rows. */
  | { kind: 'files'; maxAgeMs: number }
  | { kind: 'dead_letters'; maxAgeMs: number }
  /** What is kept about erasures. */
  | { kind: 'audit'; maxAgeMs: number }

/** Records that nobody recalled for a time are moved into another store: out of the way, and not destroyed. */
export interface Forgetting {
  /** The namespace of the records. */
  namespace: Key
  /** Since the record was written or, by `markRecalled`, recalled: in milliseconds. */
  unusedForMs: number
  archive: RowStore
}

export interface RetentionOptions {
  rules: readonly RetentionRule[]
  forget?: readonly Forgetting[]
  /** Default: the process's. */
  clock?: Clock
}

export interface SweepOptions extends CallOptions {
  /** Counts what is due, and changes nothing. */
  dryRun?: boolean
  /**
   * Looks at all records and files that have a rule, also of owners of whom an earlier sweep left nothing that can be due by
   * now. For once after an import of rows with old times. Default `false`.
   */
  full?: boolean
  /** Rows that are removed in one call. Default 500. */
  batchRows?: number
  /** How long to wait after each such call, in milliseconds, so that others get their turn. Default 0. */
  pauseMs?: number
  /** Called after each batch, with the rows so far. */
  onProgress?: (rows: number) => void
}

export interface SweepReport {
  /** Rows that went, by the kind of the rule; `archived` for what was moved. */
  counts: Record<string, number>
  dryRun: boolean
}

export interface Retention {
  /**
   * Removes what is due now. Stopped by its signal or a crash, the next one goes on; a second one right after finds nothing.
   *
   * What it reads: the list of entities; for `messages` the head and the due end of each thread, and of one that has some
   * all its turns; for `checkpoints` the head and the due end of each entity's commits, and where some are due all of them;
   * for `dead_letters` their list; for `records`, `files` and forgetting one note for each owner, which says how old the
   * oldest row is that the last sweep left, and of owners of whom some may be due all rows of the namespace.
   */
  sweep(store: RowStore, options?: SweepOptions): Promise<SweepReport>
}

const BATCH_ROWS = 500

/**
 * Keeps each kind of memory for as long as its rule says. Rules are only looked at when `sweep` is called: once a day, say.
 * Throws `invalid_value` for a rule that cannot be meant.
 *
 * ```ts
 * const DAY_MS = 86_400_000
 * const retention = createRetention({
 *   rules: [
 *     { kind: 'messages', maxAgeMs: 365 * DAY_MS },
 *     { kind: 'records', namespace: ['episodes'], maxAgeMs: 90 * DAY_MS },
 *   ],
 * })
 * await retention.sweep(store)
 * ```
 */
export function createRetention({ rules, forget = [], clock = systemClock() }: RetentionOptions): Retention {
  for (const [index, rule] of rules.entries()) checkRule(rule, `rules[${index}]`)
  for (const [index, rule] of forget.entries()) {
    copyTuple(rule.namespace, `forget[${index}].namespace`)
    checkAge(rule.unusedForMs, `forget[${index}].unusedForMs`)
  }

  return {
    async sweep(store, options = {}) {
      const { dryRun = false, full = false, batchRows = BATCH_ROWS, pauseMs = 0, onProgress, signal } = options
      if (!Number.isSafeInteger(batchRows) || batchRows < 1)
        throw new KeepsakeError('invalid_value', 'batchRows must be a whole number from 1.')
      const call = { signal }
      const own = { clock, dryRun, full, call }
      const counts: Record<string, number> = {}
      let total = 0

      async function counted(kind: string, n: number): Promise<void> {
        if (n === 0) return
        counts[kind] = (counts[kind] ?? 0) + n
        onProgress?.((total += n))
        throwIfAborted(signal)
        if (pauseMs > 0 && !dryRun) await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }

      async function removeDue(kind: string, rows: AsyncIterable<Row>): Promise<void> {
        for await (const batch of batched(rows, batchRows)) {
          throwIfAborted(signal)
          // By version: what is written meanwhile is not due.
          await counted(kind, dryRun ? batch.length : await store.remove(batch, call))
        }
      }

      for (const rule of rules) {
        const { kind } = rule
        const untilMs = clock.nowMs() - rule.maxAgeMs
        switch (kind) {
          case 'messages':
            await endThreads(store, untilMs, { clock, dryRun, ended: (n) => counted(kind, n), call })
            await removeDue(kind, dueMessages(store, untilMs, clock, call))
            break
          case 'checkpoints':
            await removeDue(kind, dueCheckpoints(store, untilMs, clock.nowMs(), call))
            break
          case 'dead_letters':
            await removeDue(kind, dueDeadLetters(store, untilMs, call))
            break
          case 'audit':
            await removeDue(kind, dueAudits(store, untilMs, call))
            break
          case 'files':
            await sweepOwners(store, ['f'], untilMs, (rows) => removeDue(kind, rows), own)
            break
          case 'records':
            await sweepOwners(store, ['r', ...(rule.namespace ?? [])], untilMs, (rows) => removeDue(kind, rows), own)
            break
          default:
            throw new TypeError('a rule of no kind')
        }
      }
      for (const { namespace, unusedForMs, archive } of forget) {
        const untilMs = clock.nowMs() - unusedForMs
        const move = async (rows: AsyncIterable<Row>): Promise<void> => {
          for await (const batch of batched(rows, batchRows)) {
            throwIfAborted(signal)
            // There before it is gone here: a crash in between leaves it twice, and the next sweep goes on.
            if (!dryRun) await archive.write(batch, call)
            await counted('archived', dryRun ? batch.length : await store.remove(batch, call))
          }
        }
        const used = { use: 'recalled', lastMs: (rows: readonly Row[]) => lastRecalledMs(store, rows, untilMs, call) }
        await sweepOwners(store, ['r', ...namespace], untilMs, move, { ...own, used })
      }
      return { counts, dryRun }
    },
  }
}

const KINDS = ['messages', 'checkpoints', 'records', 'files', 'dead_letters', 'audit']

function checkRule(rule: RetentionRule, what: string): void {
  if (!KINDS.includes(rule?.kind))
    throw new KeepsakeError('invalid_value', `${what}.kind must be one of ${KINDS.join(', ')}.`)
  checkAge(rule.maxAgeMs, `${what}.maxAgeMs`)
  if ('namespace' in rule && rule.namespace !== undefined) copyTuple(rule.namespace, `${what}.namespace`)
}

function checkAge(ms: unknown, what: string): void {
  if (Number.isSafeInteger(ms) && (ms as number) > 0) return
  throw new KeepsakeError('invalid_value', `${what} must be milliseconds: a whole number from 1.`)
}
