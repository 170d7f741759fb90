import type { AnyMessage } from '@keepsake/core'
import { disjointSets } from './disjoint-sets.ts'
import { contentParts, isOnlyReasoning, type Part } from './parts.ts'

/** Which messages of a list go together. Indexes are those of the list. */
export interface Links {
  /** Whether this message cannot be sent, because something that belongs to it is missing. */
  isBroken(index: number): boolean
  /** The last message that belongs to the same group as this one: itself, if it stands alone. */
  reach(index: number): number
}

/** A tool call on its way through the list. */
interface Call {
  /** The newest message that holds a part of it. */
  index: number
  /** Run by the provider, who may never show a result: xAI's searches have none, and the AI SDK asks for none. */
  providerExecuted: boolean
  /** Whether a result may still come. */
  open: boolean
  /** Whether providers refuse the call as it is: without its result or, of their own tools, without a wanted approval. */
  incomplete: boolean
}

/**
 * Pairs calls, approvals and results by their ids, in one pass over the messages, which are all but the system's.
 *
 * A result answers the newest earlier call of its id, since some models use the same ids in every turn. A call that has
 * no result is still awaited while no user message follows it: its group then reaches to the end of the list. After a
 * user message it was given up, and its group is broken, as is one with a result or an approval whose call is missing.
 */
export function linkMessages(messages: readonly AnyMessage[]): Links {
  const groups = disjointSets(messages.length)
  const calls = new Map<unknown, Call>()
  const approvals = new Map<unknown, Call>()
  const broken: number[] = []
  const awaited: number[] = []
  let lastUser = -1

  const join = (call: Call | undefined, index: number, change: Partial<Call>): void => {
    if (call === undefined) broken.push(index)
    else {
      groups.join(call.index, index)
      Object.assign(call, change, { index })
    }
  }
  const settle = (call: Call): void => {
    if (!call.open) return
    if (call.index > lastUser) awaited.push(call.index)
    else if (call.incomplete) broken.push(call.index)
  }
  const readCall = (part: Part, index: number): void => {
    const earlier = calls.get(part.toolCallId)
    const providerExecuted = part.providerExecuted === true
    const call = { index, providerExecuted, open: true, incomplete: !providerExecuted }
    calls.set(part.toolCallId, call)
    if (earlier === undefined || !earlier.open) return
    if (earlier.index > lastUser) {
      // The same call, shown again: by OpenAI, when one of its own tools was approved.
      groups.join(earlier.index, index)
      call.incomplete ||= earlier.incomplete
    } else settle(earlier)
  }
  const readAnswer = (part: Part, index: number): void => {
    if (part.type === 'tool-result') {
      join(calls.get(part.toolCallId), index, { open: false, incomplete: false })
    } else if (part.type === 'tool-approval-request') {
      const call = calls.get(part.toolCallId)
      join(call, index, { incomplete: true })
      if (call !== undefined) approvals.set(part.approvalId, call)
    } else if (part.type === 'tool-approval-response') {
      const call = approvals.get(part.approvalId)
      join(call, index, { incomplete: call?.providerExecuted !== true })
    }
  }

  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') lastUser = index
    const parts = contentParts(message)
    for (const part of parts) if (part.type === 'tool-call') readCall(part, index)
    for (const part of parts) readAnswer(part, index)
    if (isOnlyReasoning(message)) {
      if (messages[index + 1]?.role === 'assistant') groups.join(index, index + 1)
      else broken.push(index)
    }
  }
  for (const call of calls.values()) settle(call)

  const brokenGroups = new Set(broken.map((index) => groups.find(index)))
  const lastOfGroup: number[] = []
  for (let index = 0; index < messages.length; index++) lastOfGroup[groups.find(index)] = index
  for (const index of awaited) lastOfGroup[groups.find(index)] = messages.length - 1
  return {
    isBroken: (index) => brokenGroups.has(groups.find(index)),
    reach: (index) => lastOfGroup[groups.find(index)]!,
  }
}
