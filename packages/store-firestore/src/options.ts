import type { Firestore } from '@google-cloud/firestore'
import { KeepsakeError, describeType, utf8Length } from '@keepsake/core'

interface CommonOptions {
  /** The collection that holds everything of this store. It may exist, but should hold nothing else. */
  collection: string
  /**
   * How long one request may take, in milliseconds, with the repeats that Google's client makes by itself, before the call
   * rejects with `unavailable`. Default 15,000.
   */
  requestTimeoutMs?: number
}

/** Where the database is, or a client of your own, which the store never closes. */
export type FirestoreStoreOptions = CommonOptions &
  (
    | {
        project: string
        /** Default: the project's default database. */
        database?: string
        client?: never
      }
    | { client: Firestore; project?: never; database?: never }
  )

export interface FirestoreSettings {
  source: { project: string; database: string } | { client: Firestore }
  collection: string
  requestTimeoutMs: number
}

/** Throws `invalid_value` for options that cannot be used. */
export function checkFirestoreOptions(options: FirestoreStoreOptions): FirestoreSettings {
  const { project, database, client, collection, requestTimeoutMs = 15_000 } = options
  checkCollection(collection)
  if (!Number.isSafeInteger(requestTimeoutMs) || requestTimeoutMs < 1) {
    throw invalid('requestTimeoutMs must be a whole number of milliseconds from 1.')
  }
  if ((project === undefined) === (client === undefined)) throw invalid('give either project or client.')
  if (client !== undefined) {
    checkClient(client)
    if (database !== undefined) throw invalid('a ready client has its own database; give either database or client.')
    return { source: { client }, collection, requestTimeoutMs }
  }
  checkProject(project)
  return { source: { project, database: checkedDatabase(database) }, collection, requestTimeoutMs }
}

/**
 * Project ids are up to 30 characters; old ones belong to a domain (https://cloud.google.com/resource-manager/docs/creating-managing-projects).
 * Emulators also take short ones.
 */
function checkProject(project: unknown): asserts project is string {
  if (typeof project === 'string' && /^(?:[a-z0-9.-]{1,60}:)?[a-z][a-z0-9-]{1,28}[a-z0-9]$/.test(project)) return
  throw invalid('project must be the id of a project: 3 to 30 lower-case letters, digits and hyphens.')
}

/** https://cloud.google.com/firestore/docs/manage-databases#database_id */
function checkedDatabase(database: unknown = '(default)'): string {
  if (database === '(default)' || (typeof database === 'string' && /^[a-z][a-z0-9-]{2,61}[a-z0-9]$/.test(database))) {
    return database
  }
  throw invalid('database must be (default), or 4 to 63 lower-case letters, digits and hyphens.')
}

/** What Firestore says of collection ids: https://firebase.google.com/docs/firestore/quotas#collections_documents_and_fields */
function checkCollection(collection: unknown): asserts collection is string {
  const isFine =
    typeof collection === 'string' &&
    collection !== '' &&
    collection !== '.' &&
    collection !== '..' &&
    !/[/\0]/.test(collection) &&
    !/^__[^]*__$/.test(collection) &&
    collection.isWellFormed() &&
    utf8Length(collection) <= 1500
  if (isFine) return
  throw invalid(
    'collection must be the id of a collection at the top: up to 1,500 bytes, without "/", not "." or "..", and not between double underscores.',
  )
}

/** By what it can do and not by its class: firebase-admin brings its own copy of the client. */
function checkClient(client: unknown): asserts client is Firestore {
  const candidate = client as Partial<Firestore> | null | undefined
  if (typeof candidate?.getAll === 'function' && typeof candidate.batch === 'function') return
  throw invalid(`client must be a Firestore of @google-cloud/firestore; it is ${describeType(client)}.`)
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', `firestoreStore: ${message}`)
}
