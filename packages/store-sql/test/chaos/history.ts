/** What writers noted while they worked on one entity. Times are nanoseconds of the machine's monotonic clock, as text. */
export type HistoryEvent = ReadEvent | BeginEvent | EndEvent

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
  writes: HistoryWrite[]
}

export interface HistoryWrite {
  key: string
  seq: number
  id: string
  /** `newer`, `absent` or the seq that is expected. */
  guard: 'newer' | 'absent' | number
}

/** The answer to a call. There is none for one whose writer was killed. */
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
