import { decodeEnvelope, type Envelope, type Row } from '@keepsake/core'
import { toJsonValue } from './json-value.ts'
import { tupleJson } from './tuple-text.ts'

export type RowState = 'live' | 'tombstone' | 'expired'

/** A tombstone that has expired is still shown as one: what matters is that nothing is there. */
export function rowState(row: Row, nowMs: number): RowState {
  if (row.rec.length === 0) return 'tombstone'
  return row.expiresAtMs !== undefined && row.expiresAtMs <= nowMs ? 'expired' : 'live'
}

/** What a record holds: its envelope, nothing (a tombstone), or bytes that are no envelope, and why. */
export type RowContent = { envelope: Envelope } | { tombstone: true } | { unreadable: string }

export function rowContent(row: Row): RowContent {
  if (row.rec.length === 0) return { tombstone: true }
  try {
    return { envelope: decodeEnvelope(row.rec) }
  } catch (error) {
    return { unreadable: (error as Error).message }
  }
}

/** A whole row as `get --json` shows it. Names are arrays where they are tuples. A record that cannot be read is its bytes. */
export function rowJson(row: Row): Record<string, unknown> {
  const { entity, key, seq, updatedAtMs, expiresAtMs } = row
  return {
    entity: tupleJson(entity),
    key: tupleJson(key),
    seq,
    updatedAtMs,
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    ...contentJson(row),
  }
}

/**
 * A whole row as a line of `export`: as it is shown, and always with the bytes of its record in `rec`. They are what
 * `import` reads: JSON has no form for all that records hold, such as -0.
 */
export function exportedRow(row: Row): Record<string, unknown> {
  return { ...rowJson(row), rec: toJsonValue(row.rec) }
}

function contentJson(row: Row): Record<string, unknown> {
  const content = rowContent(row)
  if ('tombstone' in content) return { tombstone: true }
  if ('unreadable' in content) return { unreadable: content.unreadable, rec: toJsonValue(row.rec) }
  const { value, ...meta } = content.envelope
  return { value: toJsonValue(value), meta }
}
