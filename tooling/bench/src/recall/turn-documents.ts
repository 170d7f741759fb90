import type { SearchDocument } from '@keepsake/core'
import type { LocomoConversation, LocomoQuestion } from '../locomo.ts'

/** A conversation as memories: one for each turn. */
export interface Conversation {
  id: string
  turns: SearchDocument[]
  questions: LocomoQuestion[]
}

/** Each turn a document, with all that is known of it. */
export function turnDocuments({ id, sessions, questions }: LocomoConversation): Conversation {
  const turns = sessions.flatMap(({ number, date, turns: said }) => {
    const atMs = dateOf(date)
    return said.map((turn, position) => ({
      ...turn,
      session: String(number),
      position,
      ...(atMs !== undefined && { atMs }),
    }))
  })
  return { id, turns, questions }
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ')

/** `1:56 pm on 8 May, 2023` in Unix milliseconds, taken as UTC. */
export function dateOf(text: string): number | undefined {
  const match = /(\d+):(\d+)\s*(am|pm) on (\d+) (\w+),? (\d{4})/i.exec(text)
  if (match === null) return undefined
  const [, hour, minute, half, day, month, year] = match
  const hours = (Number(hour) % 12) + (half!.toLowerCase() === 'pm' ? 12 : 0)
  return Date.UTC(Number(year), MONTHS.indexOf(month!.toLowerCase()), Number(day), hours, Number(minute))
}
