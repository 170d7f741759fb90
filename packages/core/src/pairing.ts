import type { AnyMessage } from './message.ts'

/** The tool calls that a message makes or answers, and approvals alike: parts of {@link Message} or of ai's `UIMessage`. */
function pairNamesOf(message: AnyMessage): string[] {
  const { content, parts } = message as { content?: unknown; parts?: unknown }
  return [content, parts].flatMap((list) => (Array.isArray(list) ? list.flatMap(pairNamesOfPart) : []))
}

function pairNamesOfPart(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  const { toolCallId, approvalId } = part as { toolCallId?: unknown; approvalId?: unknown }
  return [
    ...(typeof toolCallId === 'string' ? [`call ${toolCallId}`] : []),
    ...(typeof approvalId === 'string' ? [`approval ${approvalId}`] : []),
  ]
}

/** `ids` and the ids of all messages that share a tool call with one of them: a call goes with its results. */
export function withPairs(messages: readonly (AnyMessage & { id: string })[], ids: ReadonlySet<string>): Set<string> {
  const idsByName = new Map<string, string[]>()
  const namesById = new Map<string, string[]>()
  for (const message of messages) {
    const names = pairNamesOf(message)
    namesById.set(message.id, names)
    for (const name of names) idsByName.set(name, [...(idsByName.get(name) ?? []), message.id])
  }
  const all = new Set<string>()
  const queue = [...ids]
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (all.has(id)) continue
    all.add(id)
    for (const name of namesById.get(id) ?? []) queue.push(...(idsByName.get(name) ?? []))
  }
  return all
}
