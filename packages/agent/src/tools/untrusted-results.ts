import { untrustedText, type Message } from '@keepsake/core'
import type { ToolMap } from './tools.ts'

/**
 * The results of untrusted tools among messages, as sources. Worked out from what the model was sent, and not noted when a
 * tool runs: so it holds in a run that goes on after a crash, and in later turns that the results are still part of.
 */
export function untrustedResults(messages: readonly Message[], tools: ToolMap): string[] {
  const found = new Set<string>()
  for (const { role, content } of messages) {
    if (role !== 'tool') continue
    for (const part of content) {
      if (part.type !== 'tool-result' || tools.get(part.toolName)?.untrusted !== true) continue
      found.add(untrustedText({ tool: part.toolName, call: part.toolCallId }))
    }
  }
  return [...found]
}
