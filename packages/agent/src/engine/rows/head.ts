import { encodeTuple, type Row, type RowWrite, type Storable, type TurnPlace } from '@keepsake/core'
import { engineRow, isGone, valueOf } from './row.ts'

/** A commit: the version of its activation, and which of its attempts decided. */
export interface CommitRef {
  s: number
  ep: number
}

/** Why an activation ended without a commit. */
export interface Failure {
  kind: 'handler_error' | 'timeout' | 'replay_diverged' | 'ttl_wiped_suspension' | 'abandoned'
  /** An `ErrorCode`. */
  code: string
  message: string
}

/** The place of a call in an activation. */
export interface Place {
  /** The tool calls that it stands in: `''` for the handler itself. */
  scope: string
  /** From 1, in the order in which the handler made its calls in this scope. */
  ordinal: number
}

/** The event that is worked on. */
export interface Active {
  /** Version of the activation: later ones have greater ones, and a takeover keeps it. */
  s: number
  /** When it was claimed, in Unix milliseconds: the time that the handler sees, however often it runs. */
  nowMs: number
  event: { id: string; data: Storable }
  /** Which engine works on it. */
  owner: string
  /** Version of the head that the claim or takeover made. */
  ep: number
  /** Unix milliseconds; 0 was given back. */
  leaseEndsAtMs: number
  status: 'running' | 'suspended' | 'decided' | 'failed'
  /** Of a suspended one: where it asks, and the fingerprint of what. */
  question?: Place & { hash: string }
  /** Of a failed one. */
  failure?: Failure
  /** Of a retry: the activation whose journal is still to be copied. */
  copyFrom?: number
}

/** The one row of an entity that is moved by compare-and-set. */
export interface Head {
  committed?: CommitRef & { eventId: string; atMs: number }
  /** The commit that says what is in the working memory; left out: it is empty. */
  memory?: CommitRef & { snapshot?: CommitRef }
  /** The newest commit that added to the thread: chat memory reads what it said, and from there backwards. */
  said?: TurnPlace
  /** The greatest version that an activation has had. */
  lastS: number
  /** Up to which commit the clean-up has been. */
  cleanS: number
  /** Whether a due row of this entity exists. */
  due?: true
  active?: Active
  erased?: true
}

/** The head as it was read: `version` 0 where there is none yet. */
export interface ReadHead {
  head: Head
  version: number
}

const HEAD_KEY: string = encodeTuple(['h'])
/** In threads: between the head of chat memory and the messages, so that one scan of chat memory's reads all of them. */
const THREAD_HEAD_KEY: string = encodeTuple(['m', '!'])
const THREADS: string = encodeTuple(['thread'])

export function headId(entity: string): { entity: string; key: string } {
  return { entity, key: entity.startsWith(THREADS) ? THREAD_HEAD_KEY : HEAD_KEY }
}

export function readHead(row: Row | undefined): ReadHead {
  if (row === undefined) return { head: { lastS: 0, cleanS: 0 }, version: 0 }
  // The entity begins anew, with versions above all that it had.
  if (isGone(row)) return { head: { lastS: row.seq, cleanS: 0 }, version: row.seq }
  return { head: valueOf<Head>(row), version: row.seq }
}

/** The head over the one with `version`, as `seq`. Every write has an id of its own: of two equal heads one is stale. */
export function headRow(
  entity: string,
  head: Head,
  write: { over: number; seq: number; nowMs: number; writeId: string },
): RowWrite {
  const guard = write.over === 0 ? 'absent' : { seq: write.over }
  return engineRow(
    { ...headId(entity), value: head as unknown as Storable, nowMs: write.nowMs, guard, writeId: write.writeId },
    write.seq,
  )
}

export function isSameCommit(a: CommitRef | undefined, b: CommitRef | undefined): boolean {
  return a?.s === b?.s && a?.ep === b?.ep
}
