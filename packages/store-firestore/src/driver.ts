import { KeepsakeError, parseStoreUri, type StoreDriver } from '@keepsake/core'
import { firestoreStore } from './firestore-store.ts'

/** Opens `firestore://PROJECT/COLLECTION` addresses, in the project's default database, with `openStore`. */
export const driver: StoreDriver = {
  schemes: ['firestore'],
  open(uri) {
    const parsed = parseStoreUri(uri)
    if (parsed.kind !== 'firestore') {
      throw new KeepsakeError('invalid_value', 'A Firestore address has the form firestore://PROJECT/COLLECTION.')
    }
    return firestoreStore({ project: parsed.project, collection: parsed.collection })
  },
}
