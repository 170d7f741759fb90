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
  const waves: number[][] = []
  const last = new Map<string, Map<string, number>>()
  for (const [place, { entity, key }] of rows.entries()) {
    let waveOf = last.get(entity)
    if (waveOf === undefined) last.set(entity, (waveOf = new Map<string, number>()))
    const wave = (waveOf.get(key) ?? -1) + 1
    waveOf.set(key, wave)
    ;(waves[wave] ??= []).push(place)
  }
  return waves.map((places) => toSegments(rows, places, limits))
}

/** The statements of one wave, in the order in which rows are locked. */
export function toSegments(rows: readonly RowWrite[], places: readonly number[], limits: SegmentLimits): Segment[] {
  const segments: { kind: GuardKind; places: number[] }[] = []
  let bytes = 0
  for (const place of places.toSorted((a, b) => compareIds(rows[a]!, rows[b]!))) {
    const kind = kindOf(rows[place]!)
    const size = rows[place]!.rec.length
    const open = segments.at(-1)
    if (open?.kind === kind && open.places.length < limits.maxRows[kind] && bytes + size <= limits.maxBytes) {
      open.places.push(place)
      bytes += size
    } else {
      segments.push({ kind, places: [place] })
      bytes = size
    }
  }
  return segments
}

export function kindOf({ guard = 'monotonic' }: RowWrite): GuardKind {
  if (guard === 'monotonic') return 'newer'
  return guard === 'absent' ? 'absent' : 'expected'
}

/** Any order will do that all writers share; this is the fastest. */
function compareIds(a: RowWrite, b: RowWrite): number {
  if (a.entity !== b.entity) return a.entity < b.entity ? -1 : 1
  if (a.key !== b.key) return a.key < b.key ? -1 : 1
  return 0
}
