import { Firestore } from '@google-cloud/firestore'
import { describe, expect, onTestFinished, test } from 'vitest'
import { firestoreStore } from '../src/firestore-store.ts'
import { put } from './rows.ts'
import { freshProject, NEEDS_EMULATOR, serverUrl } from './server.ts'

const host = await serverUrl()

function client(settings: object = {}): Firestore {
  const firestore = new Firestore({ projectId: freshProject(), ...settings })
  onTestFinished(() => firestore.terminate())
  return firestore
}

describe.skipIf(host === undefined)(NEEDS_EMULATOR, () => {
  test('a client that was passed in works on after the store was closed', async () => {
    const firestore = client()
    const store = firestoreStore({ client: firestore, collection: 'memory' })
    await store.write([put('e', 'k', 1)])
    await store.close()
    await store.close()
    await expect(store.load([{ entity: 'e', key: 'k' }])).rejects.toMatchObject({ code: 'unavailable' })
    expect((await firestore.collection('memory').get()).size).toBe(1)
    await using again = firestoreStore({ client: firestore, collection: 'memory' })
    expect(await again.load([{ entity: 'e', key: 'k' }])).toEqual([put('e', 'k', 1)])
  })

  test('a client with useBigInt gives the same rows', async () => {
    await using store = firestoreStore({ client: client({ useBigInt: true }), collection: 'memory' })
    const row = put('e', 'k', 2 ** 52, 'x', { expiresAtMs: Number.MAX_SAFE_INTEGER })
    expect(await store.write([row])).toEqual([{ status: 'applied' }])
    expect(await store.write([{ ...row, seq: 1 }])).toEqual([{ status: 'stale', seq: 2 ** 52 }])
    expect(await store.load([row])).toEqual([row])
  })

  test('other databases and other collections of a project have other rows', async () => {
    const projectId = freshProject()
    const settings = { project: projectId, collection: 'memory' }
    await using store = firestoreStore(settings)
    await using database = firestoreStore({ ...settings, database: 'other' })
    await using collection = firestoreStore({ ...settings, collection: 'Memory' })
    const stores = [store, database, collection]
    for (const [i, each] of stores.entries()) await each.write([put('e', 'k', 1, `of ${i}`)])
    for (const [i, each] of stores.entries())
      expect(await each.scan('e', { limit: 9 })).toEqual([put('e', 'k', 1, `of ${i}`)])
  })

  test.each(['.a', '__a', 'a__', 'é😀', 'a b', '%2F', '`', 'constructor', '__proto', 'a.b', '~*[]', 'x'.repeat(1500)])(
    'a collection called %j is one like any other',
    async (collection) => {
      const firestore = client()
      await using store = firestoreStore({ client: firestore, collection })
      await store.write([put('', '', 1, 'x')])
      expect(await store.scan('', { limit: 9 })).toEqual([put('', '', 1, 'x')])
      expect(await store.entities({ limit: 9 })).toEqual([''])
      expect((await firestore.collection(collection).get()).size).toBe(1)
      expect(await store.removeEntity('')).toBe(1)
    },
  )

  test('a batch of 10,000 rows lands, and is removed with its entity', async () => {
    await using store = firestoreStore({ project: freshProject(), collection: 'memory' })
    const rows = Array.from({ length: 10_000 }, (_, i) => put('many', `k${i}`, 1, 'x'))
    const results = await store.write(rows)
    expect(results.filter(({ status }) => status === 'applied')).toHaveLength(10_000)
    expect(await store.removeEntity('many')).toBe(10_000)
  })
})
