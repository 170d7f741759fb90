import {
  checkEntity,
  checkRange,
  checkRowIds,
  checkRowWrites,
  type CallOptions,
  type Range,
  type RowId,
  type RowStore,
  type RowWrite,
} from '@keepsake/core'
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
  return {
    name: 'firestore',
    limits: firestoreLimits,

    async load(ids: readonly RowId[], o?: CallOptions) {
      checkRowIds(ids)
      return client.call(o, () => rows.load(ids, o))
    },

    async scan(entity: string, range: Range, o?: CallOptions) {
      checkEntity(entity)
      checkRange(range)
      return client.call(o, () => rows.scan(entity, range, o))
    },

    async entities(range: Range, o?: CallOptions) {
      checkRange(range)
      return client.call(o, () => rows.entities(range, o))
    },

    async write(writes: readonly RowWrite[], o?: CallOptions) {
      checkRowWrites(writes, firestoreLimits)
      const copies = writes.map((row) => ({ ...row, rec: new Uint8Array(row.rec) }))
      return client.call(o, () => rows.write(copies, o))
    },

    async remove(ids: readonly (RowId & { seq?: number })[], o?: CallOptions) {
      checkRowIds(ids)
      return client.call(o, () => rows.remove(ids, o))
    },

    async removeEntity(entity: string, o?: CallOptions) {
      checkEntity(entity)
      return client.call(o, () => rows.removeEntity(entity, o))
    },

    // Firestore makes collections with their first document, and the indexes that are needed by itself.
    async provision(o?: CallOptions & { down?: boolean; to?: number }) {
      return client.call(o, async () => {
        if (o?.down === true) await rows.removeAll(o)
      })
    },

    async verify(o?: CallOptions) {
      return client.call(o, () => verify(client, o))
    },

    close: () => client.close(),
    [Symbol.asyncDispose]: () => client.close(),
  }
}
