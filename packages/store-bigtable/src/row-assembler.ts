import type { protos } from '@google-cloud/bigtable'
import type { Cells } from './cells.ts'

type Chunk = protos.google.bigtable.v2.ReadRowsResponse.ICellChunk

export interface RowAssembler {
  /** Takes the next piece; gives the row that it completes. */
  add: (chunk: Chunk) => TableRow | undefined
  /** Whether a row has begun and is not complete. */
  isInRow: () => boolean
}

export interface TableRow {
  rowKey: string
  cells: Cells
}

/**
 * Puts rows together from the pieces that Bigtable streams, as the comments of CellChunk say:
 * https://github.com/googleapis/googleapis/blob/master/google/bigtable/v2/bigtable.proto
 *
 * The client has a class for it, which turns every value of 8 bytes into a number. This keeps bytes as they are. It
 * reads one family and one cell a column, as our filters ask for.
 */
export function rowAssembler(): RowAssembler {
  let rowKey: string | undefined
  let cells = new Map<string, Uint8Array>()
  let column = ''
  let pieces: Uint8Array[] = []

  function begin(next: string | undefined): void {
    rowKey = next
    cells = new Map()
    pieces = []
  }

  return {
    isInRow: () => rowKey !== undefined,

    add({ rowKey: bytes, qualifier, value, valueSize, resetRow, commitRow }) {
      // The server begins the row again.
      if (resetRow === true) {
        begin(undefined)
        return undefined
      }
      if (rowKey === undefined) begin(toBuffer(bytes).toString())
      if (qualifier) column = toBuffer(qualifier.value).toString()
      pieces.push(toBuffer(value))
      // A value that goes on in the next chunk says how large it will be.
      if (!valueSize) {
        cells.set(column, join(pieces))
        pieces = []
      }
      if (commitRow !== true) return undefined
      const row = { rowKey: rowKey!, cells }
      begin(undefined)
      return row
    },
  }
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

function toBuffer(bytes: Uint8Array | string | null | undefined): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes
  if (typeof bytes === 'string') return Buffer.from(bytes, 'base64')
  return bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.alloc(0)
}
