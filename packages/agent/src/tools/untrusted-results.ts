import { untrustedSources, untrustedText, type Message } from '@keepsake/core'
import type { ToolMap } from './tools.ts'
import { isMarkedUntrusted } from './untrusted-mark.ts'

/**
 * What untrusted content a model has read with these messages, as sources: the results of untrusted tools, those that are
 * marked themselves, and what the messages were made after reading. Worked out from what the model was sent, and not noted
 * when a tool runs: so it holds in a run that goes on after a crash, and in later turns, also where the results are no longer
 * part of them.
 */
export function untrustedResults(messages: readonly Message[], tools: ToolMap): string[] {
  return untrustedSources(
    messages.flatMap(({ role, content, untrusted = [] }) => [
      { role, untrusted },
      { role, untrusted: typeof content === 'string' ? [] : resultsIn(content, tools) },
    ]),
  )
}

function resultsIn(content: Exclude<Message['content'], string>, tools: ToolMap): string[] {
  return content.flatMap((part) => {
    if (part.type !== 'tool-result') return []
    if (tools.get(part.toolName)?.untrusted !== true && !isMarkedUntrusted(part.output)) return []
    return [untrustedText({ tool: part.toolName, call: part.toolCallId })]
  })
}
