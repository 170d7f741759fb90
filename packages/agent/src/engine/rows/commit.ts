import { descending, encodeTuple, type Row, type RowWrite, type Storable } from '@keepsake/core'
import type { BlobChanges } from '../memory/memory-blob.ts'
import type { CommitRef } from './head.ts'
import { engineRow, valueOf } from './row.ts'

/** A row outside the entity that a decided commit will have written: its stamp, and what that was made from. */
export interface PlannedRow {
  key: string
  rec: Uint8Array
  /** The seq that it is written with. */
  seq: number
  /** The stored seq that it was stamped from; `null`: nothing was stored. */
  was: number | null
  updatedAtMs: number
  expiresAtMs?: number
}

/** Long-term writes of one activation. */
export interface Plan {
  entity: string
  /** Whose directories have to name `entity` first, as tuples. */
  subjects: string[][]
  /** Whether some of the rows name sources. */
  derived?: boolean
  rows: PlannedRow[]
}

/** What one activation came to. Never changed; the head says whether it counts. */
export interface Commit {
  previous?: CommitRef
  eventId: string
  /** When its event was claimed, in Unix milliseconds. */
  nowMs: number
  /** When it was decided, in Unix milliseconds. */
  atMs: number
  /** What the handler returned; left out: `undefined`. */
  output?: Storable
  /** The row that it adds to the thread's history. */
  said?: { key: string; seq: number }
  /** Which commit and snapshot say what is in the working memory after this one. */
  memory?: CommitRef & { snapshot?: CommitRef }
  /** What of the working memory differs from the snapshot, where this commit is the one that says so. */
  changes?: BlobChanges
  plan?: Plan
}

const AREA = encodeTuple(['c'])

export function commitKey({ s, ep }: CommitRef): string {
  return encodeTuple(['c', descending(s), String(ep)])
}

/** All commits of an entity, newest first, with their places. */
export const COMMITS: string = AREA

export function commitRow(entity: string, ref: CommitRef, commit: Commit, writeId: string): RowWrite {
  const value = commit as unknown as Storable
  return engineRow({ entity, key: commitKey(ref), value, nowMs: commit.atMs, guard: 'absent', writeId }, ref.s)
}

export function readCommit(row: Row): Commit {
  return valueOf<Commit>(row)
}

/** The working memory, whole, at a commit. */
export function snapshotKey({ s, ep }: CommitRef): string {
  return encodeTuple(['w', descending(s), String(ep)])
}

export const SNAPSHOTS: string = encodeTuple(['w'])

export function snapshotRow(
  entity: string,
  ref: CommitRef,
  blob: BlobChanges,
  nowMs: number,
  writeId: string,
): RowWrite {
  const value = blob as unknown as Storable
  return engineRow({ entity, key: snapshotKey(ref), value, nowMs, guard: 'absent', writeId }, ref.s)
}
