import { Firestore, type CollectionReference } from '@google-cloud/firestore'
import { testMemoryModels, testRowStore } from '@keepsake/store-testing'
import { describe } from 'vitest'
import { firestoreStore } from '../src/firestore-store.ts'
import { freshProject, isGoogles, NEEDS_EMULATOR, serverUrl } from './server.ts'

const host = await serverUrl()
const project = freshProject()
const tooLarge = 'the emulator of Google takes no request over 4 MiB; Firestore does'
const skip =
  host !== undefined && (await isGoogles(host))
    ? {
        'a record one byte below the limit': tooLarge,
        'a record of exactly the limit': tooLarge,
        'three records of the limit in one call': tooLarge,
        'a large record is replaced by a small one, and a small one by a large one': tooLarge,
        'the own repeat of a record of the limit is recognised, and one that differs in its last byte is not': tooLarge,
      }
    : {}

/** All documents below a collection, those too that are only the place of others. */
async function everythingIn(collection: CollectionReference): Promise<string> {
  const documents = await collection.listDocuments()
  const texts = await Promise.all(
    documents.map(async (document) => {
      const [snapshot, below] = await Promise.all([document.get(), document.listCollections()])
      const values = Object.values(snapshot.data() ?? {}).map((value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
      )
      return [document.id, ...values, ...(await Promise.all(below.map(everythingIn)))].join('\n')
    }),
  )
  return texts.join('\n')
}

describe.skipIf(host === undefined)(NEEDS_EMULATOR, () => {
  testRowStore('firestore', async () => firestoreStore({ project, collection: 'contract' }), { skip })
  testMemoryModels('chat memory and records', async () => firestoreStore({ project, collection: 'models' }), {
    everything: () => everythingIn(new Firestore({ projectId: project }).collection('models')),
  })
})
