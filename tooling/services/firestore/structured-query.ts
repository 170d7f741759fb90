import type { DocumentMap, StoredDocument } from './document-map.ts'
import { unimplemented, type Cursor, type StructuredQuery, type Value } from './protocol.ts'

/** The documents that a query finds below `parent`, in its order. Throws UNIMPLEMENTED for what it does not know. */
export function findDocuments(documents: DocumentMap, parent: string, query: StructuredQuery): StoredDocument[] {
  const { from, where, orderBy, startAt, endAt, offset, limit, findNearest } = query
  const [source, ...others] = from
  if (source?.collectionId === undefined || source.allDescendants || others.length > 0) {
    throw unimplemented('queries but of one collection')
  }
  if (where !== undefined || findNearest !== undefined || offset) throw unimplemented('filters, vectors and offsets')
  const field = orderField(orderBy)
  const found = documents
    .list(`${parent}/${source.collectionId}`)
    .filter((document) => field === undefined || field in document.fields)
    .map((document) => ({ document, at: Buffer.from(field === undefined ? document.name : textIn(document, field)) }))
    .filter(({ at }) => startAt === undefined || compareTo(at, startAt) >= (startAt.before ? 0 : 1))
    .filter(({ at }) => endAt === undefined || compareTo(at, endAt) < (endAt.before ? 0 : 1))
    .toSorted((a, b) => Buffer.compare(a.at, b.at))
    .map(({ document }) => document)
  return limit === undefined ? found : found.slice(0, limit.value ?? 0)
}

/** The document without the fields that were not asked for. */
export function project(document: StoredDocument, fieldPaths: readonly string[] | undefined): StoredDocument {
  if (fieldPaths === undefined) return document
  const fields = Object.entries(document.fields).filter(([field]) => fieldPaths.includes(field))
  return { ...document, fields: Object.fromEntries(fields) }
}

/** Left out: the order is that of names. */
function orderField(orderBy: StructuredQuery['orderBy']): string | undefined {
  const [order, ...others] = orderBy
  if (others.length > 0 || order?.direction === 'DESCENDING') throw unimplemented('such order')
  return order?.field.fieldPath
}

function textIn(document: StoredDocument, field: string): string {
  return text(document.fields[field])
}

function text(value: Value | undefined): string {
  if (value?.stringValue === undefined) throw unimplemented('order of anything but strings')
  return value.stringValue
}

/** Strings are ordered by their bytes in UTF-8: https://cloud.google.com/firestore/docs/concepts/data-types */
function compareTo(at: Buffer, { values }: Cursor): number {
  if (values.length !== 1) throw unimplemented('such cursor')
  return Buffer.compare(at, Buffer.from(text(values[0])))
}
