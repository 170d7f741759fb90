import { defineStore, type RowStore } from '@keepsake/core'
import { firestoreClient } from './firestore-client.ts'
import { firestoreRows } from './firestore-rows.ts'
import { firestoreLimits } from './limits.ts'
import { checkFirestoreOptions, type FirestoreStoreOptions } from './options.ts'
import { verify } from './verify.ts'

/**
 * Rows in a database of Google Cloud Firestore in Native mode, by `@google-cloud/firestore`. Throws `invalid_value` for
 * options that cannot be used. The client is imported, and connects, when the store is first used.
 * FIRESTORE_EMULATOR_HOST leads to an emulator.
 *
 * - A write is a read and a conditional commit; one with guard `absent` only the commit. Up to 100 rows of a call share
 *   both. New rows of an entity that the process has written before take one read more. `load` is one request for 300 rows,
 *   `scan` one for 1,000, `entities` one for 300 entities and one for each of them. Records over 1 MB take one request more.
 * - An acknowledged write is on disk in several zones or regions, as the location of the database says.
 * - Where others write the same row, attempts are repeated, up to 100 times, then the call rejects with `conflict`. What
 *   gets no answer within `requestTimeoutMs` rejects with `unavailable`.
 */
export function firestoreStore(options: FirestoreStoreOptions): RowStore {
  const client = firestoreClient(checkFirestoreOptions(options))
  const rows = firestoreRows(client)
  return defineStore({
    name: 'firestore',
    limits: firestoreLimits,
    load: (ids, o) => rows.load(ids, o),
    scan: (entity, range, o) => rows.scan(entity, range, o),
    entities: (range, o) => rows.entities(range, o),
    write: (writes, o) =>
      rows.write(
        writes.map((row) => ({ ...row, rec: new Uint8Array(row.rec) })),
        o,
      ),
    remove: (ids, o) => rows.remove(ids, o),
    removeEntity: (entity, o) => rows.removeEntity(entity, o),
    // Firestore makes collections with their first document, and the indexes that are needed by itself.
    async provision(o) {
      if (o?.down === true) await rows.removeAll(o)
    },
    verify: (o) => verify(client, o),
    close: () => client.close(),
  })
}
