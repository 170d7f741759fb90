import type { protos, Table } from '@google-cloud/bigtable'
import type { GaxOptions } from './bigtable-client.ts'
import { isPassing, UNAVAILABLE } from './bigtable-errors.ts'
import { rowAssembler, type TableRow } from './row-assembler.ts'
import type { RowFilter } from './row-filters.ts'
import type { RowKeyRange } from './row-keys.ts'

type RowSet = protos.google.bigtable.v2.IRowSet
type Response = protos.google.bigtable.v2.IReadRowsResponse

/** Which rows to read: those with these keys, or those in a range. */
export type WhichRows = { keys: readonly string[] } | { range: RowKeyRange; limit: number }

export interface PageOfRows {
  rows: TableRow[]
  /** Whether these are all: a stream may break off after some. */
  complete: boolean
}

/**
 * Reads rows in the order of their keys, in one request. Where the stream breaks off, gives the rows that had come, as
 * what follows may be asked for anew.
 *
 * The request is made below `Table.createReadStream`, which takes a stream that the server cancelled for one that came to
 * its end: rows would be missing without a word.
 */
export async function readPage(
  table: Table,
  which: WhichRows,
  filter: RowFilter,
  gaxOpts: GaxOptions,
  signal: AbortSignal | undefined,
): Promise<PageOfRows> {
  const rows: TableRow[] = []
  try {
    await stream(table, { rows: rowSet(which), filter, ...limitOf(which) }, gaxOpts, signal, (row) => rows.push(row))
    return { rows, complete: true }
  } catch (error) {
    if (rows.length === 0 || !isPassing(error)) throw error
    return { rows, complete: false }
  }
}

async function stream(
  { bigtable, name }: Table,
  request: protos.google.bigtable.v2.IReadRowsRequest,
  gaxOpts: GaxOptions,
  signal: AbortSignal | undefined,
  onRow: (row: TableRow) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const assembler = rowAssembler()
  const responses = bigtable.request<Response>({
    client: 'BigtableClient',
    method: 'readRows',
    reqOpts: { ...request, tableName: name, appProfileId: bigtable.appProfileId },
    gaxOpts,
    retryOpts: { shouldRetryFn: () => false },
  })
  responses.on('data', ({ chunks }: Response) => {
    for (const chunk of chunks ?? []) {
      const row = assembler.add(chunk)
      if (row !== undefined) onRow(row)
    }
  })
  responses.on('end', () => {
    if (assembler.isInRow())
      reject(Object.assign(new Error('The rows end in the middle of one.'), { code: UNAVAILABLE }))
    else resolve()
  })
  responses.on('error', reject)
  const onAbort = (): void => responses.abort()
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    await promise
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

function rowSet(which: WhichRows): RowSet {
  if ('keys' in which) return { rowKeys: which.keys.map((key) => Buffer.from(key)) }
  const { from, end } = which.range
  const start = from && { [from.inclusive ? 'startKeyClosed' : 'startKeyOpen']: Buffer.from(from.rowKey) }
  return { rowRanges: [{ ...start, ...(end !== undefined && { endKeyOpen: Buffer.from(end) }) }] }
}

function limitOf(which: WhichRows): { rowsLimit?: number } {
  return 'keys' in which ? {} : { rowsLimit: which.limit }
}
