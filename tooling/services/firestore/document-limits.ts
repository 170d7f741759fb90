import { status } from '@grpc/grpc-js'
import { failure, unimplemented, type Fields, type Value } from './protocol.ts'

const MAX_DOCUMENT_BYTES = 1_048_576
const MAX_ID_BYTES = 1500

/**
 * Throws INVALID_ARGUMENT for a name that no document can have, as `projects/P/databases/D/documents/COLLECTION/ID`.
 * https://firebase.google.com/docs/firestore/quotas#collections_documents_and_fields
 */
export function checkName(name: string): void {
  const [projects, project, databases, database, documents, ...ids] = name.split('/')
  const isRooted = projects === 'projects' && project && databases === 'databases' && database && documents
  const isDocument = ids.length > 0 && ids.length % 2 === 0
  if (isRooted && isDocument && ids.every(isId)) return
  throw failure(status.INVALID_ARGUMENT, `"${name}" is not the name of a document.`)
}

function isId(id: string): boolean {
  return id !== '' && id !== '.' && id !== '..' && !/^__.*__$/s.test(id) && Buffer.byteLength(id) <= MAX_ID_BYTES
}

/** Throws INVALID_ARGUMENT for a document over 1 MiB: https://cloud.google.com/firestore/docs/storage-size */
export function checkSize(name: string, fields: Fields): void {
  const [, , , , , ...ids] = name.split('/')
  const bytes = 32 + 16 + ids.reduce((sum, id) => sum + textBytes(id), 0) + fieldsBytes(fields)
  if (bytes <= MAX_DOCUMENT_BYTES) return
  throw failure(status.INVALID_ARGUMENT, `The document has ${bytes} bytes, more than ${MAX_DOCUMENT_BYTES}.`)
}

function fieldsBytes(fields: Fields): number {
  return Object.entries(fields).reduce((sum, [field, value]) => sum + textBytes(field) + valueBytes(value), 0)
}

function valueBytes(value: Value): number {
  switch (value.valueType) {
    case 'nullValue':
    case 'booleanValue':
      return 1
    case 'integerValue':
    case 'doubleValue':
    case 'timestampValue':
      return 8
    case 'stringValue':
      return textBytes(value.stringValue!)
    case 'bytesValue':
      return value.bytesValue!.length
    case 'arrayValue':
      return value.arrayValue!.values.reduce((sum, item) => sum + valueBytes(item), 0)
    case 'mapValue':
      return fieldsBytes(value.mapValue!.fields ?? {})
    default:
      throw unimplemented(`${value.valueType}`)
  }
}

function textBytes(text: string): number {
  return Buffer.byteLength(text) + 1
}
