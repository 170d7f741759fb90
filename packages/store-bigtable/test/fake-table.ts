import { PassThrough } from 'node:stream'
import type { protos, Table } from '@google-cloud/bigtable'

type V2 = typeof protos.google.bigtable.v2
type ReadRequest = InstanceType<V2['ReadRowsRequest']>

/** How the server answers one request for rows: with these rows, then its end or an error of this code of gRPC. */
export interface Reading {
  keys: readonly string[]
  code?: number
  /** Whether it ends in the middle of another row. */
  torn?: boolean
  /** A column that its rows do not have. */
  without?: string
}

/** A table whose server does what the test says. Without an answer left, it never answers. */
export interface FakeTable {
  table: Table
  /** The requests, in order. */
  requests: { method: string; reqOpts: Record<string, unknown>; gaxOpts: object }[]
  /** How many streams the client gave up. */
  aborted: () => number
}

export function fakeTable(readings: Reading[], changes: (boolean | number)[] = []): FakeTable {
  const requests: FakeTable['requests'] = []
  let aborted = 0
  function request(config: FakeTable['requests'][number], callback?: (error: Error | null, answer?: object) => void) {
    requests.push(config)
    if (callback === undefined) return stream(readings.shift(), () => aborted++)
    const answer = changes.shift()
    if (typeof answer === 'boolean') setImmediate(callback, null, { predicateMatched: answer })
    if (typeof answer === 'number') setImmediate(callback, failure(answer))
    return undefined
  }
  const bigtable = { request, options: { BigtableClient: { sslCreds: {} } }, appProfileId: undefined }
  const table = { name: 'projects/p/instances/i/tables/t', bigtable } as unknown as Table
  return { table, requests, aborted: () => aborted }
}

/** The keys that a request asks for, and its ranges, as texts. */
export function asked({ rows, rowsLimit }: Partial<ReadRequest>): object {
  return {
    ...(rows?.rowKeys && { keys: rows.rowKeys.map(text) }),
    ...(rows?.rowRanges?.[0] && {
      range: Object.fromEntries(Object.entries(rows.rowRanges[0]).map(([bound, key]) => [bound, text(key)])),
    }),
    ...(rowsLimit && { limit: rowsLimit }),
  }
}

function text(bytes: unknown): string {
  return Buffer.from(bytes as Uint8Array).toString()
}

function stream(reading: Reading | undefined, onAbort: () => void): PassThrough {
  const responses = Object.assign(new PassThrough({ objectMode: true }), { abort: onAbort })
  if (reading === undefined) return responses
  for (const key of reading.keys) responses.write({ chunks: chunksOf(key, reading.without) })
  if (reading.torn === true) responses.write({ chunks: chunksOf('e\0torn').slice(0, 2) })
  if (reading.code === undefined) responses.end()
  // What was written comes first, as from a server.
  else setImmediate(() => responses.destroy(failure(reading.code!)))
  return responses
}

/** A row of seq 7 and an empty record. */
function chunksOf(key: string, without?: string): object[] {
  const values = { exp: Buffer.alloc(0), rec: Buffer.alloc(0), seq: number(7), upd: number(1000) }
  const columns = Object.entries(values).filter(([column]) => column !== without)
  return columns.map(([column, value], index) => ({
    ...(index === 0 && { rowKey: Buffer.from(key), familyName: { value: 'm' } }),
    qualifier: { value: Buffer.from(column) },
    value,
    commitRow: column === 'upd',
  }))
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

function failure(code: number): Error {
  return Object.assign(new Error(`failed with ${code}`), { code })
}
