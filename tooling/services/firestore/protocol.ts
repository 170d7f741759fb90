import { createRequire } from 'node:module'
import { status, type ServiceDefinition } from '@grpc/grpc-js'
import { fromJSON } from '@grpc/proto-loader'

/** The service as Google's own package describes it; messages are plain objects with the names of its fields. */
export function firestoreService(): ServiceDefinition {
  const description = createRequire(import.meta.url)('@google-cloud/firestore-api/protos/protos.json')
  const definition = fromJSON(description, { longs: String, enums: String, arrays: true, oneofs: true })
  return definition['google.firestore.v1.Firestore'] as ServiceDefinition
}

// What of the messages is used here: https://cloud.google.com/firestore/docs/reference/rpc/google.firestore.v1

/** Parts that are zero are left out. */
export interface Timestamp {
  seconds?: string
  nanos?: number
}

export interface Value {
  /** Which of the others is there. */
  valueType?: string
  stringValue?: string
  bytesValue?: Buffer
  arrayValue?: { values: Value[] }
  mapValue?: { fields?: Fields }
}

export type Fields = Record<string, Value>

export interface Precondition {
  exists?: boolean
  updateTime?: Timestamp
}

export interface Write {
  update?: { name: string; fields?: Fields }
  delete?: string
  updateMask?: { fieldPaths: string[] }
  updateTransforms: unknown[]
  currentDocument?: Precondition
}

export interface StructuredQuery {
  select?: { fields: { fieldPath: string }[] }
  from: { collectionId?: string; allDescendants?: boolean }[]
  where?: unknown
  orderBy: { field: { fieldPath: string }; direction: string }[]
  startAt?: Cursor
  endAt?: Cursor
  offset?: number
  limit?: { value?: number }
  findNearest?: unknown
}

export interface Cursor {
  values: Value[]
  before?: boolean
}

/** An error as gRPC carries it. */
export function failure(code: status, message: string): Error & { code: status } {
  return Object.assign(new Error(message), { code })
}

export function unimplemented(what: string): Error {
  return failure(status.UNIMPLEMENTED, `This server knows no ${what}.`)
}

export function toTimestamp(micros: bigint): Timestamp {
  return { seconds: String(micros / 1_000_000n), nanos: Number(micros % 1_000_000n) * 1000 }
}

export function toMicros({ seconds = '0', nanos = 0 }: Timestamp): bigint {
  return BigInt(seconds) * 1_000_000n + BigInt(Math.floor(nanos / 1000))
}
