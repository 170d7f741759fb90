// node open-only.ts: opens a store, uses it once without credentials, and prints whether Google's client was loaded before
// and after, and what came of it.
import { registerHooks } from 'node:module'

process.env['GOOGLE_APPLICATION_CREDENTIALS'] = '/dev/null/missing'
process.env['METADATA_SERVER_DETECTION'] = 'none'

const loaded = new Set<string>()
registerHooks({
  resolve(specifier, context, next) {
    if (/^(@google-cloud\/|google-gax|@grpc\/)/.test(specifier)) loaded.add(specifier)
    return next(specifier, context)
  },
})
const { firestoreStore } = await import('../../src/index.ts')
const store = firestoreStore({ project: 'my-project', collection: 'memory' })
const before = loaded.size
const outcome = await store.load([{ entity: 'e', key: 'k' }]).catch((error: { code: string }) => error.code)
await store.close()
console.log(JSON.stringify({ before, after: loaded.has('@google-cloud/firestore'), outcome }))
