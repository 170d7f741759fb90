import type { AnyMessage } from './message.ts'

/** The tool calls that a message makes or answers: parts of {@link Message} or of ai's `UIMessage`. */
export function toolCallIdsOf(message: AnyMessage): string[] {
  const { content, parts } = message as { content?: unknown; parts?: unknown }
  return [content, parts].flatMap((list) =>
    Array.isArray(list)
      ? list.flatMap((part: unknown) => {
          const id =
            typeof part === 'object' && part !== null ? (part as { toolCallId?: unknown }).toolCallId : undefined
          return typeof id === 'string' ? [id] : []
        })
      : [],
  )
}

/** `ids` and the ids of all messages that share a tool call with one of them: a call goes with its results. */
export function withPairs(messages: readonly (AnyMessage & { id: string })[], ids: ReadonlySet<string>): Set<string> {
  const byCall = new Map<string, string[]>()
  const callsOf = new Map<string, string[]>()
  for (const message of messages) {
    const calls = toolCallIdsOf(message)
    callsOf.set(message.id, calls)
    for (const call of calls) byCall.set(call, [...(byCall.get(call) ?? []), message.id])
  }
  const all = new Set<string>()
  const queue = [...ids]
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (all.has(id)) continue
    all.add(id)
    for (const call of callsOf.get(id) ?? []) queue.push(...(byCall.get(call) ?? []))
  }
  return all
}
