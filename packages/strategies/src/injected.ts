import type { AnyMessage } from '@keepsake/core'
import { isNotes } from './notes/working-notes.ts'
import { isRecalled } from './recall/recalled-message.ts'
import { isSummary } from './summaries/summary-message.ts'

/**
 * Whether a message was put into a prompt by a step: recalled memories, a summary, working notes. It is nobody's words, so it is not stored
 * and nothing is learned from it again.
 */
export function isInjected(message: AnyMessage): boolean {
  return isRecalled(message) || isSummary(message) || isNotes(message)
}
