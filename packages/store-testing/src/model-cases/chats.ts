import { decodeEnvelope, encodeTuple, threadEntity, type AnyMessage, type Message, type RowWrite } from '@keepsake/core'

/** A user message, with an id where one is given. */
export function say(content: string, id?: string): Message & { role: 'user' } {
  return { role: 'user', content, ...(id !== undefined && { id }) }
}

/** What the messages say, in order. */
export function said(messages: readonly AnyMessage[]): unknown[] {
  return messages.map((message) => (message as { content?: unknown }).content)
}

/** Whether a write is that of a turn's row, in this thread. */
export function isTurnOf(threadId: string): (rows: readonly RowWrite[]) => boolean {
  const prefix = encodeTuple(['m'])
  const entity = threadEntity(threadId)
  return (rows) => rows.some((row) => row.entity === entity && row.key.startsWith(prefix) && row.key !== prefix)
}

/** The same, but for the marks that revoke the place of one. */
export function isTurnWithMessages(threadId: string): (rows: readonly RowWrite[]) => boolean {
  const isTurn = isTurnOf(threadId)
  return (rows) => isTurn(rows) && rows.every(({ rec }) => decodeEnvelope(rec).value !== null)
}

/** Whether a write is that of a thread's head: who begins or clears it writes it. */
export function isHeadOf(threadId: string): (rows: readonly RowWrite[]) => boolean {
  const entity = threadEntity(threadId)
  return (rows) => rows.some((row) => row.entity === entity && row.key === encodeTuple(['m']))
}
