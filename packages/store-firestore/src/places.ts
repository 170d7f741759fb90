import { hash } from 'node:crypto'
import type { CollectionReference, DocumentReference, Firestore } from '@google-cloud/firestore'
import type { RowId } from '@keepsake/core'

/**
 * Where documents lie: `COLLECTION/ENTITY/keepsake_rows/KEY/keepsake_chunks/CHUNK`. The two names are those of collection
 * groups, whose indexes and TTL policies are set in one place for all entities.
 */
export interface Places {
  readonly firestore: Firestore
  /** A document for each entity; its field `entity` has the text. */
  readonly entities: CollectionReference
  readonly entity: (entity: string) => DocumentReference
  readonly rows: (entity: string) => CollectionReference
  readonly row: (id: RowId) => DocumentReference
  /** What of a large record has no room in the row's document. */
  readonly chunk: (row: DocumentReference, chunkId: string) => DocumentReference
}

export function placesIn(firestore: Firestore, collection: string): Places {
  const entities = firestore.collection(collection)
  const entity = (text: string): DocumentReference => entities.doc(documentId(text))
  // Most rows in a row are of one entity, and references are slow to make.
  let last: { text: string; rows: CollectionReference } | undefined

  function rows(text: string): CollectionReference {
    if (last?.text !== text) last = { text, rows: entity(text).collection('keepsake_rows') }
    return last.rows
  }

  return {
    firestore,
    entities,
    entity,
    rows,
    row: (id) => rows(id.entity).doc(documentId(id.key)),
    chunk: (row, chunkId) => row.collection('keepsake_chunks').doc(chunkId),
  }
}

/**
 * SHA-256 in base64url: entities and keys hold characters that ids of documents must not, and may be empty. Ids between
 * double underscores are reserved; the last of these 43 characters stands for four bits and is never one.
 */
export function documentId(text: string | Uint8Array): string {
  return hash('sha256', text, 'base64url')
}
