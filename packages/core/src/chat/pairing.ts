import type { AnyMessage } from '../message.ts'

interface Part {
  type?: unknown
  toolCallId?: unknown
  approvalId?: unknown
  state?: unknown
}

/** A tool call on its way through the messages. */
interface Call {
  /** The indexes of those that make, approve or answer it. */
  messages: number[]
  /** How many messages of users came before it. */
  turn: number
  answered: boolean
}

/**
 * `ids` and the ids of all messages that go with them: a call goes with its results and approvals. Reads the parts of
 * {@link Message} and of ai's `UIMessage`. An answer belongs to the nearest earlier call of its id, since some models use
 * the same ids in every turn. Messages of tools that answer no call go as well: nobody can be sent them. One pass.
 */
export function withPairs(messages: readonly (AnyMessage & { id: string })[], ids: ReadonlySet<string>): Set<string> {
  const { callsOf, orphans } = readCalls(messages)
  const all = new Set(ids)
  if (all.size === 0) return all
  const queue = [...messages.keys()].filter((index) => ids.has(messages[index]!.id) || orphans.has(index))
  const seen = new Set<Call>()
  for (let index = queue.pop(); index !== undefined; index = queue.pop()) {
    all.add(messages[index]!.id)
    for (const call of callsOf[index]!) {
      if (seen.has(call)) continue
      seen.add(call)
      for (const other of call.messages) queue.push(other)
    }
  }
  return all
}

/** Whether a message makes a call that others may answer. */
export function makesCall(message: AnyMessage): boolean {
  return partsOf(message).some(isCall)
}

function readCalls(messages: readonly AnyMessage[]): { callsOf: ReadonlySet<Call>[]; orphans: ReadonlySet<number> } {
  const calls = new Map<unknown, Call>()
  const approvals = new Map<unknown, Call>()
  const callsOf: Set<Call>[] = []
  const orphans = new Set<number>()
  let turn = 0

  for (const [index, message] of messages.entries()) {
    const own = new Set<Call>()
    callsOf.push(own)
    if (message.role === 'user') turn++
    const parts = partsOf(message)
    for (const part of parts.filter(isCall)) {
      // A call that has no answer yet may be shown again in its turn, with more of it.
      const shown = calls.get(part.toolCallId)
      const again = shown?.answered === false && shown.turn === turn
      const call = again ? shown : { messages: [], turn, answered: false }
      calls.set(part.toolCallId, call)
      call.answered ||= typeof part.state === 'string' && part.state.startsWith('output-')
      own.add(call)
    }
    for (const part of parts) {
      if (isCall(part)) continue
      const isApproval = typeof part.approvalId === 'string'
      const call =
        calls.get(part.toolCallId) ??
        approvals.get(part.approvalId) ??
        (isApproval ? { messages: [], turn, answered: false } : undefined)
      if (call === undefined) {
        if (part.type === 'tool-result' && message.role === 'tool') orphans.add(index)
        continue
      }
      call.answered ||= part.type === 'tool-result'
      if (isApproval) approvals.set(part.approvalId, call)
      own.add(call)
    }
    for (const call of own) call.messages.push(index)
  }
  return { callsOf, orphans }
}

/** Calls of {@link Message}, and the parts of a `UIMessage` that hold a call with its answer. */
function isCall({ type, toolCallId }: Part): boolean {
  return typeof toolCallId === 'string' && type !== 'tool-result' && type !== 'tool-approval-request'
}

function partsOf(message: AnyMessage): Part[] {
  const { content, parts } = message as { content?: unknown; parts?: unknown }
  return [content, parts].flatMap((list) =>
    Array.isArray(list) ? list.filter((part): part is Part => typeof part === 'object' && part !== null) : [],
  )
}
