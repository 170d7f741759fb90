import { endLife } from '../chat/end-life.ts'
import { withPairs } from '../chat/pairing.ts'
import { readThread, type ReadThread } from '../chat/read-thread.ts'
import { HEAD_KEY } from '../chat/thread-keys.ts'
import type { Clock } from '../clock.ts'
import { walkEntities } from '../migration/walk-rows.ts'
import type { AnyMessage } from '../message.ts'
import { decodeTuple, descending, encodeTuple } from '../rows/keys.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'
import { seqAt } from './seq-at.ts'

const THREADS = encodeTuple(['thread'])

interface EndOptions {
  clock: Clock
  dryRun: boolean
  ended: (rows: number) => Promise<void>
  call: CallOptions
}

/** Ends every thread whose newest turn is due: half a conversation is no memory. */
export async function endThreads(
  store: RowStore,
  untilMs: number,
  { clock, dryRun, ended, call }: EndOptions,
): Promise<void> {
  for await (const entity of walkEntities(store, { prefix: THREADS, ...call })) {
    const { head, appends } = await readThread(store, entity, 1, clock.nowMs(), call)
    if (head === undefined || !isDue(appends[0]?.row, untilMs)) continue
    const all = await readThread(store, entity, Infinity, clock.nowMs(), call)
    // Somebody may have gone on with it: then it is not due.
    if (!isDue(all.appends[0]?.row, untilMs)) continue
    if (dryRun || (await endLife(store, clock, decodeTuple(entity)[1]!, head, call))) await ended(all.appends.length)
  }
}

/** Turns that are due in threads that go on, but for those that younger ones need: a call stays while its result does. */
export async function* dueMessages(
  store: RowStore,
  untilMs: number,
  clock: Clock,
  call: CallOptions,
): AsyncGenerator<Row> {
  for await (const entity of walkEntities(store, { prefix: THREADS, ...call })) {
    if (!(await hasDue(store, entity, untilMs, call))) continue
    const thread = await readThread<AnyMessage>(store, entity, Infinity, clock.nowMs(), call)
    if (isDue(thread.appends[0]?.row, untilMs)) continue
    yield* withoutYounger(thread, untilMs)
  }
}

/** Whether the thread has turns that old: newer ones are passed over, as keys are in the order of time. Two reads. */
async function hasDue(store: RowStore, entity: string, untilMs: number, call: CallOptions): Promise<boolean> {
  const first = await readThread(store, entity, 1, 0, call)
  if (first.head?.live !== true) return false
  const prefix = encodeTuple(['m', descending(first.head.life)])
  const [oldest] = await store.scan(entity, { prefix, after: prefix + descending(seqAt(untilMs)), limit: 1 }, call)
  return oldest !== undefined && oldest.key !== HEAD_KEY
}

function withoutYounger({ appends }: ReadThread<AnyMessage>, untilMs: number): Row[] {
  const messages = appends.toReversed().flatMap((append) => append.messages)
  const young = appends.filter(({ row }) => !isDue(row, untilMs))
  const needed = withPairs(messages, new Set(young.flatMap((append) => append.messages.map(({ id }) => id))))
  return appends
    .filter((append) => isDue(append.row, untilMs) && !append.messages.some(({ id }) => needed.has(id)))
    .map(({ row }) => row)
}

function isDue(row: Row | undefined, untilMs: number): boolean {
  return row !== undefined && row.updatedAtMs <= untilMs
}
