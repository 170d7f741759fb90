import type { RowWrite } from '@keepsake/core'

/** A kind of guard: `'monotonic'`, `'absent'` or `{ seq }`. Each has a statement of its own. */
export type GuardKind = 'newer' | 'absent' | 'expected'

/** Rows of a call that one statement writes, by their places in the call: one kind of guard, no row twice. */
export interface Segment {
  readonly kind: GuardKind
  readonly places: readonly number[]
}

/** What one statement can take. */
export interface SegmentLimits {
  readonly maxRows: Readonly<Record<GuardKind, number>>
  /** Of the records together; a larger record goes alone. */
  readonly maxBytes: number
}

/**
 * Splits the rows of a call into waves to be written one after the other. No row is twice in a wave, so the order within
 * it is free: rows are sorted, which makes all writers lock rows in the same order, and none of two waits for the other.
 */
export function toWaves(rows: readonly RowWrite[], limits: SegmentLimits): Segment[][] {
  if (rows.length === 1) return [[{ kind: kindOf(rows[0]!), places: [0] }]]
  const sorted = sortedPlaces(rows)
  const waves: number[][] = []
  let wave = 0
  for (let i = 0; i < sorted.length; i++) {
    wave = i > 0 && compareIds(rows[sorted[i - 1]!]!, rows[sorted[i]!]!) === 0 ? wave + 1 : 0
    ;(waves[wave] ??= []).push(sorted[i]!)
  }
  return waves.map((places) => toSegments(rows, places, limits))
}

/** The statements of one wave, for places in the order in which rows are locked. */
export function toSegments(rows: readonly RowWrite[], places: readonly number[], limits: SegmentLimits): Segment[] {
  const segments: { kind: GuardKind; places: number[] }[] = []
  let open: { kind: GuardKind; places: number[] } | undefined
  let bytes = 0
  for (const place of places) {
    const kind = kindOf(rows[place]!)
    const size = rows[place]!.rec.length
    if (open?.kind === kind && open.places.length < limits.maxRows[kind] && bytes + size <= limits.maxBytes) {
      open.places.push(place)
      bytes += size
    } else {
      segments.push((open = { kind, places: [place] }))
      bytes = size
    }
  }
  return segments
}

function kindOf({ guard = 'monotonic' }: RowWrite): GuardKind {
  if (guard === 'monotonic') return 'newer'
  return guard === 'absent' ? 'absent' : 'expected'
}

/** Places in the order of their ids; those of one id as they come in the call. */
function sortedPlaces(rows: readonly RowWrite[]): number[] {
  return rows.map((_, place) => place).toSorted((a, b) => compareIds(rows[a]!, rows[b]!))
}

/** Any order will do that all writers share; this is the fastest. */
function compareIds(a: RowWrite, b: RowWrite): number {
  if (a.entity !== b.entity) return a.entity < b.entity ? -1 : 1
  if (a.key !== b.key) return a.key < b.key ? -1 : 1
  return 0
}
