import type { RowWrite, WriteResult } from '@keepsake/core'
import type { Ground } from '../ground.ts'
import { headRow, type Active, type Head } from '../rows/head.ts'
import { writeInOrder } from '../store-calls.ts'

/** One worker's hold on the head while it works on an activation. */
export interface HeadKeeper {
  readonly entity: string
  readonly head: Head
  readonly version: number
  /** Whether somebody else has moved the head: nothing of ours can be written to it any more. */
  readonly lost: boolean
  /** Whether the lease is certainly ours at this moment, on our own clock. */
  surelyOurs(): boolean
  /**
   * Writes `rows` and then the head that `change` makes of the present one. Of one worker, one after another. Returns what
   * became of `rows`, or `undefined` where the head was stale.
   */
  move(change: (head: Head, seq: number) => Head, rows?: readonly RowWrite[]): Promise<WriteResult[] | undefined>
  /** Writes the head again with a new lease. Returns whether it is still ours. */
  renew(): Promise<boolean>
  /** Renews every third of the lease until the returned function is called. */
  keepRenewing(onLost: () => void): () => void
}

/** Begins with the head that was read; `surelyOurs` only after a move that gave it a lease. */
export function headKeeper(ground: Ground, entity: string, start: { head: Head; version: number }): HeadKeeper {
  const { clock, seams, options } = ground
  let { head, version } = start
  let lost = false
  let sureUntilMs = -Infinity
  let turn: Promise<unknown> = Promise.resolve()
  /**
   * A write that was not answered: sent again, before another, as the same bytes, and never the head without the rows that go
   * before it, which may have been lost too.
   */
  let unanswered: { rows: readonly RowWrite[]; row: RowWrite; head: Head } | undefined

  async function send(rows: readonly RowWrite[], next: Head, row: RowWrite): Promise<WriteResult[] | undefined> {
    unanswered = { rows, row, head: next }
    // Counted from before it is sent: an answer may be late.
    const sentMs = seams.monotonicMs()
    const results = await writeInOrder(ground, [...rows, row])
    unanswered = undefined
    if (results.at(-1)!.status === 'stale') {
      lost = true
      return undefined
    }
    head = next
    version = row.seq
    if (hasLease(next.active)) sureUntilMs = sentMs + options.leaseMs
    return results.slice(0, -1)
  }

  async function settleUnanswered(): Promise<void> {
    if (unanswered !== undefined) await send(unanswered.rows, unanswered.head, unanswered.row)
  }

  const keeper: HeadKeeper = {
    entity,
    get head() {
      return head
    },
    get version() {
      return version
    },
    get lost() {
      return lost
    },
    surelyOurs: () => !lost && seams.monotonicMs() < sureUntilMs,
    move(change, rows = []) {
      const done = turn.then(async () => {
        await settleUnanswered()
        if (lost) return undefined
        const seq = clock.nextSeq(version)
        const next = withLease(change(head, seq), clock.nowMs() + options.leaseMs)
        const row = headRow(entity, next, { over: version, seq, nowMs: clock.nowMs(), writeId: clock.newId() })
        return send(rows, next, row)
      })
      turn = done.catch(() => undefined)
      return done
    },
    async renew() {
      // What is decided or suspended needs no lease.
      if (!hasLease(head.active)) return !lost
      return (await keeper.move((same) => same)) !== undefined
    },
    keepRenewing(onLost) {
      let cancel: (() => void) | undefined
      function schedule(): void {
        cancel = seams.setTimer(options.leaseMs / 3, () => void tick())
      }
      let over = false
      async function tick(): Promise<void> {
        // A store that does not answer may answer the next time; whoever needs the lease looks whether it is there.
        const ours = await keeper.renew().catch(() => !lost)
        if (over) return
        if (ours) schedule()
        else onLost()
      }
      schedule()
      return () => {
        over = true
        cancel?.()
      }
    },
  }
  return keeper
}

function hasLease(active: Active | undefined): boolean {
  return active?.status === 'running'
}

/** Only what runs has a lease, and one that was given back stays so. */
function withLease(head: Head, leaseEndsAtMs: number): Head {
  const { active } = head
  if (active === undefined || !hasLease(active) || active.leaseEndsAtMs === 0) return head
  return { ...head, active: { ...active, leaseEndsAtMs } }
}
