import { Firestore } from '@google-cloud/firestore'
import { MAX_KEY_BYTES, type RowStore, type RowWrite } from '@keepsake/core'
import { afterAll, describe, expect, test } from 'vitest'
import { firestoreStore } from '../src/firestore-store.ts'
import { PART_BYTES } from '../src/limits.ts'
import { placesIn } from '../src/places.ts'
import { put } from './rows.ts'
import { freshProject, NEEDS_EMULATOR, serverUrl } from './server.ts'

const host = await serverUrl()

const firestore = new Firestore({ projectId: freshProject() })
const collection = 'chunks'
const places = placesIn(firestore, collection)
afterAll(() => firestore.terminate())

const open = (): RowStore => firestoreStore({ client: firestore, collection })

/** A record of several parts in which every byte says which write it is of. */
function record(seq: number): Uint8Array {
  return new Uint8Array(PART_BYTES * (1 + (seq % 3)) + 1000).fill(seq)
}

function claim(rec: Uint8Array): RowWrite {
  return put('claims', 'k', 1, rec, { guard: 'absent' })
}

async function chunkIds(entity: string, key: string): Promise<string[]> {
  const found = await places.row({ entity, key }).collection('keepsake_chunks').get()
  return found.docs.map(({ id }) => id)
}

describe.skipIf(host === undefined)(NEEDS_EMULATOR, () => {
  test('who reads while a large record is rewritten finds one of the records, never a mixture and never nothing', async () => {
    await using store = open()
    const id = { entity: 'rewritten', key: 'k' }
    await store.write([put(id.entity, id.key, 1, record(1))])
    const written = new AbortController()
    const seen = new Set<number>()

    async function readAll(read: () => Promise<readonly ({ seq: number; rec: Uint8Array } | undefined)[]>) {
      while (!written.signal.aborted) {
        const [row] = await read()
        expect(Buffer.compare(row!.rec, record(row!.seq))).toBe(0)
        seen.add(row!.seq)
      }
    }
    const readers = [readAll(() => store.load([id])), readAll(() => store.scan(id.entity, { limit: 1 }))]
    // Each write has chunks of its own, and takes away those of the one before.
    for (let seq = 2; seq <= 25; seq++) await store.write([put(id.entity, id.key, seq, record(seq))])
    written.abort()
    await Promise.all(readers)
    expect(seen.size).toBeGreaterThan(2)
  })

  test('of many writers of a large record at once the highest seq stays, with its chunks alone', async () => {
    await using store = open()
    const writes = Array.from({ length: 8 }, (_, i) => put('contended', 'k', i + 1, record(i + 1)))
    await Promise.all(writes.map((write) => store.write([write])))
    const [row] = await store.load([{ entity: 'contended', key: 'k' }])
    expect(row!.seq).toBe(8)
    expect(Buffer.compare(row!.rec, record(8))).toBe(0)
    expect(await chunkIds('contended', 'k')).toHaveLength(3)
  })

  test('chunks go with what has them: a smaller record, another one, a removal, the removal of the entity', async () => {
    await using store = open()
    await store.write([put('e', 'k', 1, record(2))])
    const before = await chunkIds('e', 'k')
    expect(before).toHaveLength(3)
    await store.write([put('e', 'k', 1, record(2))])
    expect(await chunkIds('e', 'k')).toEqual(before)
    await store.write([put('e', 'k', 4, record(4))])
    expect(await chunkIds('e', 'k')).toHaveLength(2)
    await store.write([put('e', 'k', 5, 'small')])
    expect(await chunkIds('e', 'k')).toEqual([])
    await store.write([put('e', 'k', 6, record(6))])
    await store.remove([{ entity: 'e', key: 'k' }])
    expect(await chunkIds('e', 'k')).toEqual([])
    await store.write([put('e', 'k', 7, record(7))])
    expect(await store.removeEntity('e')).toBe(1)
    expect(await chunkIds('e', 'k')).toEqual([])
  })

  test('a claim with a large record that is refused leaves the chunks of the winner', async () => {
    await using store = open()
    const [mine, yours] = [record(1), record(1)]
    yours[yours.length - 1]! ^= 1
    expect(await store.write([claim(mine)])).toEqual([{ status: 'applied' }])
    expect(await store.write([claim(yours)])).toEqual([{ status: 'stale', seq: 1 }])
    expect(await store.write([claim(mine)])).toEqual([{ status: 'applied' }])
    const [row] = await store.load([{ entity: 'claims', key: 'k' }])
    expect(Buffer.compare(row!.rec, mine)).toBe(0)
  })

  test('the fullest document there can be is not over the limit of Firestore', async () => {
    await using store = firestoreStore({ client: firestore, collection: 'c'.repeat(1500) })
    const row = put('e', 'k'.repeat(MAX_KEY_BYTES), 1, new Uint8Array(3 * PART_BYTES), { expiresAtMs: 1 })
    expect(await store.write([row])).toEqual([{ status: 'applied' }])
    expect(await store.removeEntity('e')).toBe(1)
  })

  test('a TTL policy finds a time in small rows that expire, and in no others', async () => {
    await using store = open()
    const expiresAtMs = 1_900_000_000_000
    await store.write([
      put('ttl', 'small', 1, 'x', { expiresAtMs }),
      put('ttl', 'large', 1, record(1), { expiresAtMs }),
      put('ttl', 'stays', 1, 'x'),
    ])
    const found = await places.rows('ttl').orderBy('key').get()
    const kinds = found.docs.map((document) => (document.get('expiresAt') as object | null)?.constructor.name)
    // In the order of their keys: large, small, stays.
    expect(kinds).toEqual(['Number', 'Timestamp', undefined])
  })
})
