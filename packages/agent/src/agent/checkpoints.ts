import {
  checkLimit,
  createListing,
  decodeCursor,
  encodeCursor,
  KeepsakeError,
  type AppendRow,
  type CallOptions,
  type Listing,
  type ListOptions,
  type Message,
  type TurnMark,
  type TurnPlace,
} from '@keepsake/core'
import type { AgentRuns } from './agent-runs.ts'

/** A point of a thread: after a step of a run. */
export interface Checkpoint {
  /** For `fork`. */
  id: string
  /** When it was committed, in Unix milliseconds: the same for all steps of a run. */
  createdAtMs: number
}

/** Where a checkpoint stands: the turn, and how many of its messages belong to it. */
export type CheckpointPlace = TurnPlace & { count: number }

interface Turn extends AppendRow<Message> {
  mark: TurnMark
}

/** Checkpoints newest first: by the order of commits, and within a run by that of its steps. */
export function listCheckpoints(
  runs: AgentRuns,
  threadId: string,
  { limit, cursor, ...options }: ListOptions & { owner?: string },
): Listing<Checkpoint> {
  const size = checkLimit(limit)
  return createListing(async (from) => {
    const appends = await runs.turns!.appends(threadId, options)
    const all = appends.filter((append): append is Turn => append.mark !== undefined).flatMap(checkpointsOf)
    const after = from === undefined ? undefined : decodeCursor(from, '')
    const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
    const items = all.slice(start, start + size)
    const more = all.length > start + size
    return { items, ...(more && { cursor: encodeCursor(items.at(-1)!.id) }) }
  }, cursor)
}

function checkpointsOf({ mark, messages, envelope }: Turn): Checkpoint[] {
  const { s, ep } = mark
  return stepEnds(messages)
    .toReversed()
    .map((count) => ({ id: `${s}.${ep}.${count}`, createdAtMs: envelope.createdAtMs }))
}

/** After how many messages a step has ended: an answer whose calls have their results. */
function stepEnds(messages: readonly Message[]): number[] {
  return messages.flatMap(({ role }, index) => {
    const next = messages[index + 1]?.role
    const ends = (role === 'assistant' && next !== 'tool') || (role === 'tool' && next !== 'tool')
    return ends || index === messages.length - 1 ? [index + 1] : []
  })
}

/** Throws `invalid_value` unless it is a checkpoint of the thread. */
export async function findCheckpoint(
  runs: AgentRuns,
  threadId: string,
  at: string,
  options: CallOptions & { owner?: string },
): Promise<CheckpointPlace> {
  const match = typeof at === 'string' ? /^(\d+)\.(\d+)\.(\d+)$/.exec(at) : null
  const [s, ep, count] = match === null ? [0, 0, 0] : match.slice(1).map(Number)
  const appends = await runs.turns!.appends(threadId, options)
  const turn = appends.find(({ mark }) => mark !== undefined && mark.s === s && mark.ep === ep)
  if (turn !== undefined && stepEnds(turn.messages).includes(count!)) {
    return { s: s!, ep: ep!, seq: turn.row.seq, count: count! }
  }
  throw new KeepsakeError('invalid_value', '`at` is no checkpoint of this thread: pass the id of one of checkpoints().')
}
