import { readFileSync } from 'node:fs'

/** What writers noted while they worked on one entity. Times are nanoseconds of the machine's monotonic clock, as text. */
export type LogEvent = ReadEvent | BeginEvent | EndEvent

/** A row as it was read. */
interface ReadEvent {
  type: 'read'
  began: string
  ended: string
  key: string
  /** -1: nothing was stored. */
  seq: number
  /** Whose write it is; empty where nothing was stored. */
  id: string
}

/** Writes of one call, about to be sent. A seq belongs to one write only, whatever becomes of it. */
interface BeginEvent {
  type: 'begin'
  at: string
  call: string
  writes: LoggedWrite[]
}

export interface LoggedWrite {
  key: string
  seq: number
  id: string
  /** `newer`, `absent` or the seq that is expected. */
  guard: 'newer' | 'absent' | number
}

/** The answer to a call. There is none for one whose writer was killed, or whose store was unavailable for too long. */
interface EndEvent {
  type: 'end'
  at: string
  call: string
  /** `true`: applied; else the seq of what it was stale to. */
  verdicts: (true | number)[]
}

/** A row as it is when all writers have ended. */
export interface FinalRow {
  key: string
  seq: number
  id: string
}

/** A line that was being written when its writer was killed is not there yet. */
export function readLog(file: string): LogEvent[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line) as LogEvent)
}
