import type { Message } from '@keepsake/core'

type Part = Exclude<Message['content'], string>[number]

/**
 * What large providers and the AI SDK refuse in a prompt, as a list of complaints. Written from their rules, not from
 * our code: OpenAI, Anthropic and Gemini want a call before each result and a result for each call; the AI SDK throws
 * MissingToolResultsError and InvalidToolApprovalError. A call is under way while no user message follows it or its
 * approval.
 */
export function complaints(prompt: readonly Message[]): string[] {
  const found: string[] = []
  for (const [at, message] of prompt.entries()) {
    const parts = partsOf(message)
    const before = prompt.slice(0, at).flatMap(partsOf)
    if (message.role === 'system' && prompt.slice(0, at).some((earlier) => earlier.role !== 'system')) {
      found.push(`${at}: a system message is not first`)
    }
    for (const part of parts) {
      if (part.type === 'tool-result' && !isCalled([...before, ...parts], part.toolCallId)) {
        found.push(`${at}: result ${part.toolCallId} has no call`)
      }
      if (
        part.type === 'tool-call' &&
        part.providerExecuted !== true &&
        isAbandoned(prompt.slice(at), part.toolCallId)
      ) {
        found.push(`${at}: call ${part.toolCallId} has no result`)
      }
      if (part.type === 'tool-approval-response') {
        const asked = before.some((p) => p.type === 'tool-approval-request' && p.approvalId === part.approvalId)
        if (!asked) found.push(`${at}: approval ${part.approvalId} was never asked for`)
      }
    }
    if (parts.length > 0 && parts.every((part) => part.type === 'reasoning') && prompt[at + 1]?.role !== 'assistant') {
      found.push(`${at}: reasoning leads to nothing`)
    }
  }
  return found
}

/** Whether the call in the first of these messages has no result in them and a user message has ended the wait for it. */
function isAbandoned(messages: readonly Message[], id: string): boolean {
  const approvals = new Set<string>()
  let overtaken = false
  for (const message of messages) {
    if (message.role === 'user') overtaken = true
    for (const part of partsOf(message)) {
      if (part.type === 'tool-call' && part.toolCallId === id && overtaken) return true
      if (part.type === 'tool-result' && part.toolCallId === id) return false
      if (part.type === 'tool-approval-request' && part.toolCallId === id) approvals.add(part.approvalId)
      if (part.type === 'tool-approval-response' && approvals.has(part.approvalId)) overtaken = false
    }
  }
  return overtaken
}

function isCalled(parts: readonly Part[], id: string): boolean {
  return parts.some((part) => part.type === 'tool-call' && part.toolCallId === id)
}

function partsOf(message: Message): readonly Part[] {
  return typeof message.content === 'string' ? [] : message.content
}
