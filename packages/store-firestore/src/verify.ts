import type { CallOptions } from '@keepsake/core'
import type { FirestoreClient } from './firestore-client.ts'
import { NOT_FOUND, codeOf } from './firestore-errors.ts'

/** Throws unless the database can be read and written. Writes nothing. */
export async function verify(client: FirestoreClient, options?: CallOptions): Promise<void> {
  await client.send(({ entities }) => entities.orderBy('entity').limit(1).get(), options)
  await client.send(async ({ entities }) => {
    try {
      // Documents of entities have hashes as ids, so there is none of this one.
      await entities.doc('keepsake-verify').update({ verified: true })
    } catch (error) {
      // Whoever may not write is told that before.
      if (codeOf(error) !== NOT_FOUND) throw error
    }
  }, options)
}
