import type { protos } from '@google-cloud/bigtable'
import { KeepsakeError, type Row, type RowId } from '@keepsake/core'

type Mutation = protos.google.bigtable.v2.IMutation

/** The column family that has everything of ours. */
export const FAMILY = 'm'

/** The cells of a row by the names of their columns. */
export type Cells = ReadonlyMap<string, Uint8Array>

/** What the higher 4 bytes of 8 count. Numbers of ours are below 2^53, so the sum is exact; bigints take longer. */
const HIGH = 2 ** 32
const NOTHING = new Uint8Array()

/**
 * What puts a row into the table, in place of what was there. Every cell has the timestamp 0, so each write takes the
 * place of the last: with timestamps of their own, cells of a writer whose clock is ahead would hide those of later
 * writes. `exp` is empty where the row does not expire.
 */
export function putMutations({ seq, rec, updatedAtMs, expiresAtMs }: Omit<Row, keyof RowId>): Mutation[] {
  return [
    setCell('seq', uint64(seq)),
    setCell('rec', rec),
    setCell('upd', uint64(updatedAtMs)),
    setCell('exp', expiresAtMs === undefined ? NOTHING : uint64(expiresAtMs)),
  ]
}

/** What takes a row out of the table. Families of others in the same row stay. */
export const deleteMutations: readonly Mutation[] = [{ deleteFromFamily: { familyName: FAMILY } }]

function setCell(column: string, value: Uint8Array): Mutation {
  return { setCell: { familyName: FAMILY, columnQualifier: Buffer.from(column), timestampMicros: 0, value } }
}

export function toRow(id: RowId, cells: Cells): Row {
  const expires = cell(cells, 'exp')
  return {
    ...id,
    seq: seqOf(cells),
    rec: new Uint8Array(cell(cells, 'rec')),
    updatedAtMs: toNumber(cell(cells, 'upd')),
    ...(expires.length > 0 && { expiresAtMs: toNumber(expires) }),
  }
}

export function seqOf(cells: Cells): number {
  return toNumber(cell(cells, 'seq'))
}

function cell(cells: Cells, column: string): Uint8Array {
  const value = cells.get(column)
  if (value !== undefined) return value
  throw new KeepsakeError(
    'unsupported',
    `A row in this table has no cell ${FAMILY}:${column}, so Keepsake did not write it. Give Keepsake a table of its own.`,
  )
}

/** 8 bytes, the highest first: so bytes compare as numbers. */
export function uint64(value: number): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32BE(Math.floor(value / HIGH), 0)
  bytes.writeUInt32BE(value % HIGH, 4)
  return bytes
}

function toNumber(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return view.getUint32(0) * HIGH + view.getUint32(4)
}
